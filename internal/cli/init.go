package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lockstep/internal/carried"
	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/internal/trial/adapter"
)

func (a *app) initCommand() *cobra.Command {
	from := ""
	cmd := &cobra.Command{
		Use: "locktest DIR [PACKAGE]",
		Args: func(cmd *cobra.Command, args []string) error {
			names := []lang.Message{lang.New("a folder"), lang.New("a package")}
			return exactly(names[:max(1, min(2, len(args)))]...)(cmd, args)
		},
		ValidArgsFunction: first(completeFolder),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
				return usage(cmd, "there is no folder %s", args[0])
			}
			if from != "" {
				return a.initModule(cmd, args[0], from)
			}
			if entries, err := os.ReadDir(args[0]); len(args) == 1 && len(entries) == 0 && err == nil {
				return a.initExample(cmd, args[0])
			}
			return a.initLocktest(cmd, args[0], append(args, args[0])[1])
		},
	}
	takes(cmd, "go-mod", &from)
	return group("init", cmd)
}

// initModule lets the module of a folder require Lockstep, from a folder into which it puts
// the source, unless it is there.
func (a *app) initModule(cmd *cobra.Command, dir, from string) error {
	mod, _ := trial.Modules(cmd.Context(), dir)
	if mod == "" {
		return usage(cmd, "%s is in no Go module; go mod init makes one", dir)
	}
	if !course.IsSource(from) {
		if err := vacant(cmd, from); err != nil {
			return err
		}
		if err := carried.Put(from); err != nil {
			return err
		}
	}
	if err := trial.Require(cmd.Context(), mod, from); err != nil {
		return err
	}
	a.say("%s has Lockstep's source, and %s requires it. Next: go mod tidy, and go test", from, mod)
	return nil
}

// initExample fills an empty folder with a lock to begin with, and its test.
func (a *app) initExample(cmd *cobra.Command, dir string) error {
	all := []course.File{{Name: "lock.go", Text: adapter.ExampleLock}, {Name: "lock_test.go", Text: adapter.ExampleTest}}
	if mod, _ := trial.Modules(cmd.Context(), dir); mod == "" {
		all = append(all, course.File{Name: "go.mod", Text: adapter.ExampleModule})
	}
	if err := a.fill(cmd, dir, all); err != nil {
		return err
	}
	return a.compiles(cmd, dir, "It compiles. Next: put your lock in the place of this one, and run: lockstep check %s")
}

// compiles says what is next if the tests in a folder can be compiled.
func (a *app) compiles(cmd *cobra.Command, dir, next string) error {
	if p, err := trial.Find(cmd.Context(), dir); err != nil {
		return a.uncompiled(dir, err)
	} else if err := p.Build(cmd.Context(), os.DevNull); err != nil {
		return a.uncompiled(dir, err)
	}
	a.say(next, lang.Typed(dir))
	return nil
}

// initLocktest writes the test of a package's lock into a folder.
func (a *app) initLocktest(cmd *cobra.Command, dir, name string) error {
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
	return a.compiles(cmd, dir, "It compiles. Next: fill in what it marks, and run: lockstep check %s")
}
