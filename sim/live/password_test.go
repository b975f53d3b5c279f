//go:build unix

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

func TestReadPassword(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		want string // of the error
	}{
		"a line":           {password + "\n", 0o600, ""},
		"without an end":   {password, 0o400, ""},
		"of Windows":       {password + "\r\n", 0o600, ""},
		"read by a group":  {password, 0o640, "can be read by others (its mode is 0640)"},
		"read by everyone": {password, 0o604, "can be read by others (its mode is 0604)"},
		"empty":            {"", 0o600, "it is empty"},
		"an empty line":    {"\n", 0o600, "it is empty"},
		"two lines":        {"x\n" + password + "\n", 0o600, "more than one line"},
		"huge":             {strings.Repeat(password, 1000), 0o600, "longer than 4096 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			testkit.OK(t, os.WriteFile(path, []byte(test.text), 0o600))
			testkit.OK(t, os.Chmod(path, test.mode))
			got, err := ReadPassword(path)
			switch {
			case test.want == "" && (err != nil || got != password):
				t.Errorf("%q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), password)):
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
	for _, path := range []string{"/nowhere/file", t.TempDir()} {
		if got, err := ReadPassword(path); err == nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}
