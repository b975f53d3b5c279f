package trial

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/sim/remote"
)

// envHostile is what this binary does as the tests of a hostile package.
const envHostile = "LOCKSTEP_TEST_PACKAGE"

// answers is the file for what the tests say of their locks.
func answers() *os.File { return os.NewFile(remote.Answers, "answers") }

// hostile packages end like this before they say which locks they have, by name.
var hostile = map[string]struct {
	do   func()
	want string
}{
	"exit":  {func() { os.Exit(0) }, "with exit code 0: does init or TestMain call os.Exit"},
	"fail":  {func() { os.Exit(1) }, "exit status 1"},
	"panic": {func() { panic(strings.Repeat("long ", 1<<20)) }, "exit status 2\npanic: long"},
	"print": {func() {
		for range 64 {
			fmt.Println(strings.Repeat("long ", 1<<18))
		}
		os.Exit(1)
	}, "exit status 1\nlong"},
	"flood": {func() {
		for b := bytes.Repeat([]byte("{}\n"), 1<<20); ; {
			if _, err := answers().Write(b); err != nil {
				select {} // it is killed
			}
		}
	}, "cannot be read: nth: 0; use 1 to 1000"},
	"garbage": {func() { _, _ = answers().WriteString("garbage"); os.Exit(0) }, "cannot be read: invalid character"},
	"plan": {func() {
		_, _ = answers().WriteString(`{"test":"T","nth":1,"plan":{"clients":1000000000,"rounds":1,"nodes":1}}`)
		os.Exit(0)
	}, "cannot be read: clients: 1000000000; use 1 to 5"},
	"many": {func() {
		for range maxListed + 1 {
			_, _ = answers().WriteString(`{"test":"T","nth":1,"plan":{"clients":2,"rounds":1,"nodes":1,"states":1,"memory":1}}`)
		}
		os.Exit(0)
	}, "there are more than 1000 locks"},
	"closed": {func() { _ = answers().Close(); os.Exit(1) }, "exit status 1"},
	"folder": {func() { _ = os.RemoveAll(filepath.Dir(os.Args[0])); os.Exit(1) }, "exit status 1"},
}

func TestMain(m *testing.M) {
	if h, ok := hostile[os.Getenv(envHostile)]; ok {
		h.do()
	}
	os.Exit(m.Run())
}

// TestHostilePackages: whatever a package does instead of saying which locks it has, it
// is told in a few words, and nothing stays.
func TestHostilePackages(t *testing.T) {
	for name, h := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Setenv(envHostile, name)
			temp, remove, err := files.Folder(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s := &Suite{Package: &Package{Dir: t.TempDir()}, temp: temp, remove: remove}
			if err := os.Symlink(os.Args[0], s.binary()); err != nil {
				t.Skip(err)
			}
			err = s.list(t.Context(), []string{"TestNone"})
			if text := lang.In(nil, err); err == nil || !strings.Contains(text, h.want) || len(text) > 30<<10 {
				t.Errorf("%d bytes: %.500s", len(text), text)
			}
			if s.Close(); len(s.Locks) > 0 {
				t.Error("there are locks")
			}
			if _, err := os.Stat(s.temp); err == nil {
				t.Error("its folder is still there")
			}
		})
	}
}

// TestNoLock: tests that all ran, and have none, are no accident.
func TestNoLock(t *testing.T) {
	s := &Suite{Package: &Package{Dir: t.TempDir()}, temp: t.TempDir()}
	if err := os.Symlink(os.Args[0], s.binary()); err != nil {
		t.Skip(err)
	}
	if err := s.list(t.Context(), []string{"TestNone"}); err == nil || !strings.Contains(err.Error(), "no test that ran in") {
		t.Error(err)
	}
}
