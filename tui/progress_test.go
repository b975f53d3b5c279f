package tui

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStateDir(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/state", "/home/me", "/state/lockstep"},
		{"", "/home/me", "/home/me/.local/state/lockstep"},
		{"not/absolute", "/home/me", "/home/me/.local/state/lockstep"},
		{"", "", ""},
		{"", "not/absolute", ""},
	} {
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		if got := StateDir(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestProgressComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lockstep")
	p, aside, err := loadProgress(dir)
	if err != nil || aside != "" || len(p.Chapters) != 0 {
		t.Fatalf("nothing there: %+v %q %v", p, aside, err)
	}
	p.Last, p.Chapters["setnx"] = "setnx", mark{Part: whyPart, Done: true}
	if err := (&store{dir: dir}).save(1, p); err != nil {
		t.Fatal(err)
	}
	got, aside, err := loadProgress(dir)
	if err != nil || aside != "" || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v %q %v", got, aside, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("in the folder: %v %v", entries, err)
	}
	info, err := os.Stat(filepath.Join(dir, progressFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if err := ResetProgress(dir); err != nil {
		t.Error(err)
	}
	if p, _, _ := loadProgress(dir); len(p.Chapters) != 0 {
		t.Errorf("after a reset: %+v", p)
	}
	if err := ResetProgress(dir); err != nil {
		t.Errorf("nothing to reset: %v", err)
	}
}

// TestDamage: whatever stands where the progress is kept, it is set aside as
// it is, and the course begins anew.
func TestDamage(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"version":1,"chap`, "another program's": `[1,2]`, "of another time": `{"version":2,"chapters":{}}`,
		"long": `{"version":1}` + strings.Repeat(" ", maxProgress), "binary": "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, progressFile)
			write(t, file, text)
			p, aside, err := loadProgress(dir)
			if err != nil || len(p.Chapters) != 0 || aside == "" {
				t.Fatalf("%+v %q %v", p, aside, err)
			}
			kept, err := os.ReadFile(aside)
			if err != nil || string(kept) != text {
				t.Errorf("set aside: %.20q %v", kept, err)
			}
			if _, err := os.Lstat(file); err == nil {
				t.Error("it is still there")
			}
		})
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, progressFile, "x"), "a folder")
	if _, aside, err := loadProgress(dir); err != nil || aside == "" {
		t.Errorf("a folder: %q %v", aside, err)
	}
}

// TestNoHalfFile: what cannot be written leaves what was there, and no rest.
func TestNoHalfFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, progressFile, "x"), "a folder cannot be replaced")
	if err := (&store{dir: dir}).save(1, newProgress()); err == nil {
		t.Error("no error")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("in the folder: %v", entries)
	}
}

// TestLatestStays: saves may come in any order.
func TestLatestStays(t *testing.T) {
	s := &store{dir: t.TempDir()}
	var all sync.WaitGroup
	for n := 20; n > 0; n-- {
		all.Go(func() {
			p := newProgress()
			p.Chapters["setnx"] = mark{Done: n == 20}
			if err := s.save(n, p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p, _, _ := loadProgress(s.dir); !p.Chapters["setnx"].Done {
		t.Errorf("an older one stays: %+v", p)
	}
}
