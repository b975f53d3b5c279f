package cli

import (
	"os"
	"path/filepath"
	"strings"

	"lockstep/message"
	"lockstep/scenarios"
)

// rewrite puts the output of a run into the story's file: all of it or
// nothing, with the mode and the line ends that the file has.
func rewrite(s *scenarios.Story, r *scenarios.Result) error {
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return message.Errorf("it is no regular file")
	case info.Mode()&0o200 == 0:
		return message.Errorf("the file is read-only")
	}
	old, err := os.ReadFile(s.Path)
	if err != nil {
		return err
	}
	text, err := s.Rewrite(r.Outputs())
	if err != nil {
		return err
	}
	if n := strings.Count(string(old), "\r\n"); n > 0 && n == strings.Count(string(old), "\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return replaceFile(s.Path, text, info.Mode().Perm())
}

// replaceFile writes beside the file and then renames: whoever reads the file
// sees the old text or the new.
func replaceFile(path, text string, mode os.FileMode) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // the first error counts
		}
	}()
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return err
}
