// Package carried puts Lockstep's source, as far as a test of a lock needs it, into a folder:
// who has the program needs no clone.
package carried

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// Tree is the source that the program carries; nil in a program that has none, such as a
// test.
var Tree fs.FS

// ours begins the names of the folders beside the cache.
const ours = "lockstep-source-"

// Kept puts the source beside the cache, unless it is there, and returns its folder. That is
// named by what is in it. Those that nobody has used for long go.
func Kept() (string, error) {
	all, err := list()
	if err != nil {
		return "", err
	}
	beside, err := cache.Beside()
	if err != nil {
		return "", err
	}
	dirs, _ := filepath.Glob(filepath.Join(beside, ours+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > cache.MaxUnused {
			_ = os.RemoveAll(dir) // the next one does
		}
	}
	dir := filepath.Join(beside, ours+string(cache.SumOf(all)[:16]))
	err = put(dir, all)
	_ = os.Chtimes(dir, time.Time{}, time.Now()) // in a folder that is only read, it ages
	return dir, err
}

// Put puts the source into a folder.
func Put(dir string) error {
	all, err := list()
	return cmp.Or(err, put(dir, all))
}

// module matches a module in go.mod. A test of a lock needs those that are marked there, and
// nobody has to have the others.
var module = regexp.MustCompile(`(?m)^\t.*\n`)

// list is the source, by the names of files.
func list() (map[string][]byte, error) {
	if Tree == nil {
		return nil, lang.Errorf("this program does not carry Lockstep's source")
	}
	all := map[string][]byte{}
	err := fs.WalkDir(Tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[name], err = fs.ReadFile(Tree, name)
		}
		return err
	})
	all["go.mod"] = module.ReplaceAllFunc(all["go.mod"], func(line []byte) []byte {
		if bytes.HasSuffix(line, []byte("locktest\n")) {
			return line
		}
		return nil
	})
	return all, err
}

func put(dir string, all map[string][]byte) error {
	for name, text := range all {
		if err := Write(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a file, with its folder, unless it is as it should be. It is replaced as a
// whole, so processes that do so at the same time do not disturb each other.
func Write(name string, text []byte) error {
	if is, err := os.ReadFile(name); err == nil && bytes.Equal(is, text) {
		return nil
	}
	return cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), files.Write(name, text, 0o644))
}
