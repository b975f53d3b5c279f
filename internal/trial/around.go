package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/cache"
)

// This file is about what tests can look at while their packages are initialized, when
// nothing is logged yet: the variables that they get, and what is around them.

// ofTerminals are variables to which a terminal, a shell or a session gives another value
// each time. Tests do not get them, so that nothing depends on them.
var ofTerminals = []string{
	"_", "OLDPWD", "PWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID", "TMUX", "TMUX_PANE", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", cache.Env,
}

// environ is the environment of tests in a folder.
func environ(dir string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(set string) bool {
		name, _, _ := strings.Cut(set, "=")
		return slices.Contains(ofTerminals, name)
	}), "PWD="+dir)
}

// maxAround bounds how many files and folders count as around tests.
const maxAround = 20_000

// around lists the files and folders below those of the modules that tests are made of,
// where these are on this machine only. If there are too many, it lists those below the
// packages. It is false if these are too many, too.
func (c *Code) around() (names []string, ok bool) {
	for _, roots := range [][]string{c.modules, c.packages} {
		if names, ok = c.below(roots); ok {
			break
		}
	}
	return names, ok
}

// ofEditors matches the names of files that editors keep beside one that they edit.
var ofEditors = regexp.MustCompile(`^\.(#.*|.*\.sw.)$`)

// below lists what is below folders, but for other packages' code, counterexamples that
// go test keeps, files of editors, the cache, and folders whose names begin with a dot:
// those of version control and of other caches.
func (c *Code) below(roots []string) (names []string, ok bool) {
	met := map[string]bool{}
	for roots = slices.Clone(roots); len(roots) > 0; roots = roots[1:] {
		root := roots[0]
		if met[root] {
			continue
		}
		met[root] = true
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			dir, base := filepath.Split(name)
			switch {
			case err != nil: // nor can the tests read it
				return fs.SkipDir
			case len(names) == maxAround:
				return fs.ErrInvalid
			case d.IsDir() && name != root && (strings.HasPrefix(base, ".") || met[name] || name == os.Getenv(cache.Env) || base == "lockstep" && filepath.Base(dir) == "testdata"):
				return fs.SkipDir
			case ofEditors.MatchString(base), filepath.Ext(base) == ".go" && !slices.Contains(c.packages, filepath.Clean(dir)):
				return nil
			}
			names = append(names, name)
			if d.Type() != fs.ModeSymlink {
				return nil
			}
			to, err := filepath.EvalSymlinks(name)
			if info, failed := os.Stat(to); err == nil && failed == nil && info.IsDir() {
				roots = append(roots, to)
			}
			return nil
		})
		if err != nil {
			return nil, false
		}
	}
	return names, true
}

// contents is a hash of what is around the tests; false if that is too much.
func (c *Code) contents() (string, bool) {
	names, ok := c.around()
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s\n", name)
		cache.Look(h, name, false)
	}
	return hex.EncodeToString(h.Sum(nil)), ok
}

// changes is a text that differs once something around the tests has changed.
func (c *Code) changes() string {
	names, _ := c.around()
	h := sha256.New()
	for _, name := range names {
		for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
			if info, err := stat(name); err == nil {
				fmt.Fprintln(h, name, cache.Changed(info))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LookAround looks at the variables and files that tests in a folder may have read while
// their packages were initialized, so that they are in the log of package testing.
func LookAround(dir string) {
	for _, set := range environ(dir) {
		name, _, _ := strings.Cut(set, "=")
		_ = os.Getenv(name)
	}
	names, _ := (&Code{packages: []string{dir}}).below([]string{dir}) // each folder is opened
	for _, name := range names {
		_, _ = os.Stat(name)
	}
}

// LookAgain looks at what other processes have looked at, so that it is in the log of
// package testing.
func LookAgain(reads []string) {
	for _, read := range reads {
		switch did, name, _ := strings.Cut(read, " "); did {
		case "getenv":
			_ = os.Getenv(name)
		case "open":
			if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
				continue // to open it could take for ever
			}
			if f, err := os.Open(name); err == nil {
				_ = f.Close() // nothing was read
			}
		default:
			_, _ = os.Stat(name)
		}
	}
}
