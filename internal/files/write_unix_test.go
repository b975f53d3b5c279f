//go:build unix

package files_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lockstep/internal/files"
)

func init() { syscall.Umask(0o022) } // whatever that of the user is

// TestWriteThroughLinks: a link stays a link, and what it leads to is replaced, or made,
// with the permissions that it had.
func TestWriteThroughLinks(t *testing.T) {
	for name, leads := range map[string]string{
		"absolute": "/there/f", "relative": "../there/f", "to a link": "on", "to a link in a linked folder": "folder/on",
	} {
		for _, dangling := range []bool{false, true} {
			dir := t.TempDir()
			for _, sub := range []string{"here", "there"} {
				must(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
			}
			at, link := filepath.Join(dir, "there", "f"), filepath.Join(dir, "here", "link")
			must(t, os.Symlink("../there/f", filepath.Join(dir, "here", "on")))
			must(t, os.Symlink("../there/f", filepath.Join(dir, "there", "on")))
			must(t, os.Symlink("../there", filepath.Join(dir, "here", "folder")))
			to := leads
			if filepath.IsAbs(leads) {
				to = dir + leads
			}
			must(t, os.Symlink(to, link))
			want := fs.FileMode(0o604)
			if dangling {
				want = 0o640
			} else {
				must(t, os.WriteFile(at, []byte("what was there before"), want))
				must(t, os.Chmod(at, want))
			}
			must(t, files.Write(link, []byte("text"), 0o640))
			if got, err := os.Readlink(link); err != nil || got != to {
				t.Errorf("%s: the link leads to %q, %v", name, got, err)
			}
			text, err := os.ReadFile(at)
			info, statErr := os.Lstat(at)
			if err != nil || statErr != nil || string(text) != "text" || info.Mode() != want {
				t.Errorf("%s, dangling %t: %q, %v, %v %v", name, dangling, text, info, err, statErr)
			}
		}
	}
}

// TestWriteToNoFile: what is no file is written to, also through a link, and stays what it is.
func TestWriteToNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	must(t, syscall.Mkfifo(pipe, 0o600))
	must(t, os.Symlink("pipe", link))
	for _, name := range []string{pipe, link} {
		read := make(chan string)
		go func() {
			text, _ := os.ReadFile(pipe) // the text says whether it went well
			read <- string(text)
		}()
		must(t, files.Write(name, []byte("through a pipe"), 0o600))
		if text := <-read; text != "through a pipe" {
			t.Errorf("%s: %q was read", name, text)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("%v, %v", info, err)
	}

	device := filepath.Join(dir, "null")
	if !node(device, 3) {
		t.Skip("only root may make a device, and only on Linux this one")
	}
	must(t, files.Write(device, []byte("text"), 0o600))
	if info, err := os.Lstat(device); err != nil || info.Mode().Type() != fs.ModeDevice|fs.ModeCharDevice {
		t.Errorf("%v, %v", info, err)
	}
}

// TestWriteToDescriptor: /dev/fd/N is what this process has open, at the place where it is.
func TestWriteToDescriptor(t *testing.T) {
	dir := t.TempDir()
	log, link := filepath.Join(dir, "log"), filepath.Join(dir, "link")
	f, err := os.Create(log)
	must(t, err)
	defer func() { _ = f.Close() }() // as for the rest
	_, err = f.WriteString("before\n")
	must(t, err)
	must(t, os.Symlink(fmt.Sprintf("/dev/fd/%d", f.Fd()), link))
	for _, name := range []string{link, fmt.Sprintf("/dev/fd/%d", f.Fd())} {
		must(t, files.Write(name, []byte("text\n"), 0o600))
	}
	_, err = f.WriteString("after\n")
	must(t, err)
	if text, err := os.ReadFile(log); err != nil || string(text) != "before\ntext\ntext\nafter\n" {
		t.Errorf("%q, %v", text, err)
	}

	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	must(t, files.Write(fmt.Sprintf("/dev/fd/%d", pair[0]), []byte("text"), 0o600)) // nobody can open one
	must(t, syscall.Close(pair[0]))
	end := os.NewFile(uintptr(pair[1]), "socket")
	defer func() { _ = end.Close() }()
	if text, err := io.ReadAll(end); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestWriteErrors: an error names the file that was asked for, and what was there stays.
func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	must(t, os.Symlink("none/f", filepath.Join(dir, "nowhere")))
	must(t, os.Symlink("folder", filepath.Join(dir, "to-folder")))
	names := []string{"folder", "file/f", "none/f", "loop", "nowhere", "to-folder", "new/", strings.Repeat("x", 256)}
	if node(filepath.Join(dir, "full"), 7) {
		names = append(names, "full")
	}
	if os.Getuid() != 0 { // root may write everywhere
		must(t, os.Mkdir(filepath.Join(dir, "locked"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "locked", "f"), nil, 0o600))
		must(t, os.Chmod(filepath.Join(dir, "locked"), 0o500))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "locked"), 0o700) }) // so that it can be removed
		must(t, os.Symlink("locked/f", filepath.Join(dir, "into-locked")))
		must(t, os.WriteFile(filepath.Join(dir, "read-only"), nil, 0o400))
		names = append(names, "locked/f", "into-locked", "locked/new", "read-only")
	}
	before, err := os.ReadDir(dir)
	must(t, err)
	for _, name := range names {
		path := dir + "/" + name
		if err := files.Write(path, []byte("text"), 0o600); err == nil || strings.Count(err.Error(), dir) != 1 || !strings.HasPrefix(err.Error(), "write "+path+": ") {
			t.Errorf("%v", err)
		}
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
	if name := filepath.Join(dir, strings.Repeat("x", 255)); files.Write(name, nil, 0o600) != nil {
		t.Errorf("a long name is none")
	}
}

// TestMayWrite: what Write could not make is known before, and nothing is left of the trial.
func TestMayWrite(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("none/f", filepath.Join(dir, "nowhere")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	open, err := os.Create(filepath.Join(dir, "open"))
	must(t, err)
	defer func() { _ = open.Close() }() // as for the rest
	must(t, os.Symlink(fmt.Sprintf("/dev/fd/%d", open.Fd()), filepath.Join(dir, "descriptor")))
	all := map[string]bool{"file": true, "new": true, "pipe": true, "descriptor": true, "nowhere": false, "loop": false, "none/f": false, "file/f": false}
	if os.Getuid() != 0 { // root may write everywhere
		must(t, os.Mkdir(filepath.Join(dir, "locked"), 0o500))
		must(t, os.Symlink("locked/f", filepath.Join(dir, "into-locked")))
		must(t, os.WriteFile(filepath.Join(dir, "read-only"), nil, 0o400))
		all["locked/f"], all["into-locked"], all["read-only"] = false, false, false
	}
	if exe, err := os.Executable(); err == nil && runtime.GOOS == "linux" { // which lets nobody write what runs
		must(t, os.Symlink(exe, filepath.Join(dir, "running")))
		all["running"] = false
	}
	before, err := os.ReadDir(dir)
	must(t, err)
	for name, want := range all {
		if got := files.MayWrite(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
}

// TestUmask: a new file has no more permissions than the user gives to new files.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	file := filepath.Join(t.TempDir(), "f")
	for _, want := range []fs.FileMode{0o600, 0o666} { // the second time it is there already
		must(t, files.Write(file, nil, 0o644))
		if info, err := os.Stat(file); err != nil || info.Mode() != want {
			t.Errorf("%v, %v; want %v", info, err, want)
		}
		must(t, os.Chmod(file, 0o666))
	}
}

// node makes a device like /dev/null (3) or /dev/full (7).
func node(path string, minor uint32) bool {
	return runtime.GOOS == "linux" && unix.Mknod(path, syscall.S_IFCHR|0o600, int(unix.Mkdev(1, minor))) == nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
