package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestDamage: what cannot have come from here is set aside as it is, beside
// what was set aside before, and the course begins anew.
func TestDamage(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"version":1,"chap`, "another program's": `[1,2]`, "of another time": `{"version":2,"chapters":{}}`,
		"long": `{"version":1}` + strings.Repeat(" ", maxText), "binary": "\x00\xff", "null": "null",
		"impossible": `{"version":1,"levels":{"oversell":{"moves":-1}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t.TempDir())
			write(t, s.path(), text)
			write(t, s.path()+".damaged", "older")
			write(t, s.path()+".damaged.1", "old")
			p, aside, err := s.Load()
			if err != nil || len(p.Chapters) != 0 || aside != s.path()+".damaged.2" {
				t.Fatalf("%+v %q %v", p, aside, err)
			}
			wantFile(t, aside, text)
			wantFile(t, s.path()+".damaged", "older")
			wantFile(t, s.path()+".damaged.1", "old")
			wantEntries(t, s.dir, lockFile, "course.json.damaged", "course.json.damaged.1", "course.json.damaged.2")
		})
	}
}

// TestManyDamaged: there is an end to what is set aside, and no damage to it.
func TestManyDamaged(t *testing.T) {
	s := newStore(t.TempDir())
	for range maxAside {
		write(t, s.path(), "{")
		if _, aside, err := s.Load(); err != nil || aside == "" {
			t.Fatalf("%q %v", aside, err)
		}
	}
	write(t, s.path(), "one more")
	refuses(t, s, "move them away")
	wantFile(t, s.path(), "one more")
}

// TestDamagedMeanwhile: what somebody else has written since the start is set
// aside as well, not overwritten.
func TestDamagedMeanwhile(t *testing.T) {
	s := newStore(t.TempDir())
	if _, _, err := s.Load(); err != nil {
		t.Fatal(err)
	}
	write(t, s.path(), "somebody's")
	s.add(some("setnx"))
	mustSave(t, s)
	wantFile(t, s.path()+".damaged", "somebody's")
}

// TestNoFile: what is no file stays where it is, and it is said.
func TestNoFile(t *testing.T) {
	s := newStore(t.TempDir())
	write(t, filepath.Join(s.path(), "x"), "in a folder")
	refuses(t, s, s.path()+" is not a regular file")
	wantFile(t, filepath.Join(s.path(), "x"), "in a folder")
	wantEntries(t, s.dir, lockFile, progressFile)
}

// TestLinkedProgress: a link stays a link, and what it leads to is kept.
func TestLinkedProgress(t *testing.T) {
	for name, lead := range map[string]string{"absolute": "", "relative": "../elsewhere/mine.json"} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			s, there := newStore(filepath.Join(home, "lockstep")), filepath.Join(home, "elsewhere", "mine.json")
			if lead == "" {
				lead = there
			}
			write(t, there, `{"version":1,"last":"setnx","chapters":{"setnx":{"part":"why","done":true}}}`)
			link(t, lead, s.path())
			if p, aside, err := s.Load(); err != nil || aside != "" || p.Last != "setnx" {
				t.Fatalf("%+v %q %v", p, aside, err)
			}
			s.add(some("set-del"))
			mustSave(t, s)
			wantLink(t, s.path(), lead)
			if text, err := os.ReadFile(there); err != nil || !strings.Contains(string(text), `"setnx"`) || !strings.Contains(string(text), `"set-del"`) {
				t.Errorf("%s %v", text, err)
			}
			if file, err := Reset(s.dir, yes); err != nil || file != there {
				t.Error(file, err)
			}
			wantLink(t, s.path(), lead)
			s.add(some("fenced")) // it leads to nothing now
			mustSave(t, s)
			wantLink(t, s.path(), lead)
			if p, _, err := s.Load(); err != nil || p.Last != "fenced" || len(p.Chapters) != 1 {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
}

// TestLinkedDamage: what is elsewhere is neither renamed nor overwritten, and
// neither is the link.
func TestLinkedDamage(t *testing.T) {
	home := t.TempDir()
	s, there := newStore(filepath.Join(home, "lockstep")), filepath.Join(home, "mine.json")
	write(t, there, "notes of somebody")
	link(t, there, s.path())
	refuses(t, s, there)
	wantFile(t, there, "notes of somebody")
	wantLink(t, s.path(), there)
}

// TestUnreadableProgress: a link that leads to itself cannot be read by anybody.
func TestUnreadableProgress(t *testing.T) {
	s := newStore(t.TempDir())
	link(t, progressFile, s.path())
	refuses(t, s, s.path())
	wantLink(t, s.path(), progressFile)
}

// TestTooMuchProgress: what would not be read again is not written.
func TestTooMuchProgress(t *testing.T) {
	s := newStore(t.TempDir())
	s.add(some("setnx"))
	mustSave(t, s)
	s.add(some(strings.Repeat("x", maxText)))
	if err := s.Save(); err == nil || !strings.Contains(err.Error(), "--reset-progress") {
		t.Errorf("%v", err)
	}
	if p, aside, err := s.Load(); err != nil || aside != "" || p.Last != "setnx" {
		t.Errorf("%q %q %v", p.Last, aside, err)
	}
	wantEntries(t, s.dir, progressFile, lockFile)
}

// FuzzProgress: whatever is in the file, it is either read and kept, or set
// aside as it is, and what comes later is kept.
func FuzzProgress(f *testing.F) {
	for _, text := range []string{
		"", "{", "null", `{"version":1}`, `{"version":1,"chapters":null,"levels":null,"predictions":{"s":null}}`,
		`{"version":1,"last":"setnx","chapters":{"setnx":{"part":"why","done":true}},"levels":{"l":{"moves":3,"faults":1,"gave_up":true}},` +
			`"predictions":{"s":{"q":{"first":true,"last":false}}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newStore(t.TempDir())
		write(t, s.path(), string(text))
		before, aside, err := s.Load()
		if err != nil {
			t.Fatal(err)
		}
		if aside != "" {
			if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, text) {
				t.Errorf("set aside: %q %v", kept, err)
			}
		}
		s.add(some("new"))
		mustSave(t, s)
		after, aside, err := s.Load()
		if err != nil || aside != "" || after.Last != "new" {
			t.Fatalf("%+v %q %v", after, aside, err)
		}
		again := New()
		again.Add(before)
		again.Add(some("new"))
		if len(after.Chapters) != len(again.Chapters) || len(after.Levels) != len(again.Levels) || len(after.Predictions) != len(again.Predictions) {
			t.Errorf("%+v became %+v", before, after)
		}
	})
}

// refuses checks that neither loading nor saving goes well, and that the error
// says where.
func refuses(t *testing.T, s *dirStore, says string) {
	t.Helper()
	if p, aside, err := s.Load(); err == nil || aside != "" || len(p.Chapters) != 0 || !strings.Contains(err.Error(), says) {
		t.Errorf("load: %+v %q %v", p, aside, err)
	}
	s.add(some("setnx"))
	if err := s.Save(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("save: %v", err)
	}
}

func wantFile(t *testing.T, file, want string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s: %.40q %v, want %.40q", file, got, err, want)
	}
}

func link(t *testing.T, to, file string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
	if err := os.Symlink(to, file); err != nil {
		t.Skip(err) // not everybody may on Windows
	}
}

func wantLink(t *testing.T, file, want string) {
	t.Helper()
	if got, err := os.Readlink(file); err != nil || got != want {
		t.Errorf("%s leads to %q %v, want %q", file, got, err, want)
	}
}

func yes(string) bool { return true }
