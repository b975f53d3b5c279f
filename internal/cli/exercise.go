package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"lockstep/internal/carried"
	"lockstep/internal/course"
	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/strategies"
)

func (a *app) exerciseCommand() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:  "exercise LOCK FOLDER",
		Args: exactly(lang.New("a lock"), lang.New("a folder")),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return exercises(), noFiles
			case 1:
				return completeFolder(cmd, args, word)
			}
			return nil, noFiles
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.exercise(cmd, args[0], args[1], from) },
	}
	takes(cmd, "source", &from)
	return cmd
}

// exercises lists the ids of locks that have an exercise.
func exercises() (ids []string) {
	for _, lock := range course.Exercises() {
		ids = append(ids, lock.ID)
	}
	return ids
}

func (a *app) exercise(cmd *cobra.Command, id, dir, given string) error {
	lock, err := findExercise(id)
	if err != nil {
		return err
	}
	from, err := findSource(cmd, given)
	if err != nil && given == "" && carried.Tree != nil {
		from, err = carried.Kept()
	}
	if err != nil {
		return err
	}
	all, err := course.ExerciseFiles(a.book, lock, from)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	if err := a.fill(cmd, dir, all); err != nil {
		return err
	}
	a.say("Fix the lock until `go test` passes in %s; %s says more.", dir, filepath.Join(dir, "README.md"))
	return nil
}

func findExercise(id string) (strategies.Info, error) {
	if lock, err := findLock(id); err != nil {
		return lock, err
	}
	for _, lock := range course.Exercises() {
		if lock.ID == id {
			return lock, nil
		}
	}
	return strategies.Info{}, refused(lang.Errorf("%q is an answer, with nothing to fix; use %s", id, lang.Names(exercises())), "lockstep exercise --help")
}

// fill writes files into a folder that is new or empty, and lists them.
func (a *app) fill(cmd *cobra.Command, dir string, all []course.File) error {
	if err := vacant(cmd, dir); err != nil {
		return err
	}
	for _, f := range all {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(to), 0o755), files.Write(to, []byte(f.Text), 0o644)); err != nil {
			return err
		}
		a.say("%s", to)
	}
	a.say("")
	return nil
}

// vacant is the error of a folder that is neither new nor empty.
func vacant(cmd *cobra.Command, dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return usage(cmd, "%s has files in it, as %s; use a folder that is new or empty", dir, entries[0].Name())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// findSource returns the absolute path of Lockstep's source.
func findSource(cmd *cobra.Command, given string) (string, error) {
	if given != "" {
		if !course.IsSource(given) {
			return "", usage(cmd, "--source: %s is not a folder with Lockstep's source; use the one with its go.mod", given)
		}
		return filepath.Abs(given)
	}
	_, file, _, _ := runtime.Caller(0)
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, dir := range []string{filepath.Dir(file), here} {
		for filepath.IsAbs(dir) {
			if course.IsSource(dir) {
				return dir, nil
			}
			if filepath.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	return "", usage(cmd, "Lockstep's source is neither where this program was built nor around the working directory; name its folder with --source")
}
