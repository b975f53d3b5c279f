package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/internal/trial/adapter"
)

func (a *app) initCommand() *cobra.Command {
	return group("init", &cobra.Command{
		Use: "locktest DIR [PACKAGE]",
		Args: func(cmd *cobra.Command, args []string) error {
			names := []lang.Message{lang.New("a folder"), lang.New("a package")}
			return exactly(names[:max(1, min(2, len(args)))]...)(cmd, args)
		},
		ValidArgsFunction: first(completeFolder),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.initLocktest(cmd, args[0], append(args, args[0])[1])
		},
	})
}

// initLocktest writes the test of a package's lock into a folder.
func (a *app) initLocktest(cmd *cobra.Command, dir, name string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage(cmd, "there is no folder %s", dir)
	}
	text, err := adapter.Text(cmd.Context(), dir, name)
	if err != nil {
		return a.uncompiled(name, err)
	}
	file := filepath.Join(dir, adapter.File)
	if _, err := os.Lstat(file); err == nil {
		return usage(cmd, "%s is there already, and is not overwritten", file)
	}
	if err := a.write(cmd.Context(), file, []byte(text)); err != nil {
		return err
	}
	a.say("%s", file)
	a.say("")
	if p, err := trial.Find(cmd.Context(), dir); err != nil {
		return err
	} else if err := p.Build(cmd.Context(), os.DevNull); err != nil {
		return a.uncompiled(dir, err)
	}
	a.say("It compiles. Next: fill in what it marks, and run: lockstep check %s", lang.Typed(dir))
	return nil
}
