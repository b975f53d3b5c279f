package scenarios

import (
	"os"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// Update puts the output of a run into the story's file: all of it or
// nothing, with the mode and the line ends that the file has.
func (s *Story) Update(r *Result) error {
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return lang.Errorf("it is not a regular file")
	case info.Mode()&0o200 == 0:
		return lang.Errorf("the file is read-only")
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
	return files.Write(s.Path, []byte(text), info.Mode().Perm())
}
