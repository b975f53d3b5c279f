package cache

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const most = 1 << 10

// storeAt is a store in a new folder at some time.
func storeAt(t *testing.T, at time.Time) *Store {
	s := Open(filepath.Join(t.TempDir(), "new", "cache"))
	s.now = func() time.Time { return at }
	return s
}

var aDay = time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)

func TestStore(t *testing.T) {
	s := storeAt(t, aDay)
	a, b := KeyOf("a"), KeyOf("b")
	for _, value := range []string{"one", "", "two, in its place"} {
		if err := s.Put(a, []byte(value)); err != nil {
			t.Fatal(err)
		}
		got, at, ok := s.Get(a, most)
		if !ok || string(got) != value || !at.Equal(aDay) {
			t.Errorf("put %q, got %q of %v, %v", value, got, at, ok)
		}
	}
	if _, _, ok := s.Get(b, most); ok {
		t.Error("what was never put is there")
	}
	if _, _, ok := s.Get(a, 3); ok {
		t.Error("more is read than was asked for")
	}
	if entries, size, err := s.Size(); entries != 1 || size < 17 || err != nil {
		t.Errorf("%d entries of %d bytes, %v", entries, size, err)
	}
}

// TestKeys: where one text ends makes a difference.
func TestKeys(t *testing.T) {
	keys := map[Key]bool{}
	all := [][]string{nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"b", "a"}, {"a" + strings.Repeat("\x00", 8) + "b"}}
	for _, texts := range all {
		keys[KeyOf(texts...)] = true
	}
	if len(keys) != len(all) {
		t.Errorf("%d keys of %d lists", len(keys), len(all))
	}
}

// TestNoStore: without a store, nothing is found and nothing fails.
func TestNoStore(t *testing.T) {
	var s *Store
	if err := s.Put(Key{}, nil); err != nil {
		t.Error(err)
	}
	if _, _, ok := s.Get(Key{}, most); ok {
		t.Error("no store has an entry")
	}
	if n, err := s.Clean(); n != 0 || err != nil || s.Dir() != "" {
		t.Error(n, err, s.Dir())
	}
}

// TestDamaged: a file of which any bit or the length has changed, or under another
// name, is no entry.
func TestDamaged(t *testing.T) {
	s := storeAt(t, aDay)
	k := KeyOf("a")
	if err := s.Put(k, []byte("value")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.file(k))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, at Key, text []byte) {
		t.Helper()
		if err := os.WriteFile(s.file(at), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, ok := s.Get(at, most); ok {
			t.Errorf("%s: %q", what, got)
		}
	}
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 1
		try("a bit", k, changed)
		try("the rest", k, whole[:i])
	}
	try("more", k, append(bytes.Clone(whole), 0))
	try("another name", KeyOf("b"), whole)
	later := bytes.Replace(whole[:len(whole)-sha256.Size], []byte("cache 1"), []byte("cache 2"), 1)
	sum := sha256.Sum256(later)
	try("another version", k, append(later, sum[:]...))
	if err := os.Remove(s.file(k)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.file(k), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.Get(k, most); ok {
		t.Error("a folder is an entry")
	}
}

// TestCannotWrite: where nothing can be written, or not all, nothing is left over.
func TestCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(file, "cache"))
	if err := s.Put(Key{}, nil); err == nil {
		t.Error("it was put below a file")
	}
	if _, _, ok := s.Get(Key{}, most); ok {
		t.Error("it is there")
	}
	s = storeAt(t, aDay)
	if err := os.MkdirAll(s.file(Key{}), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(Key{}, []byte("value")); err == nil {
		t.Error("it was put in the place of a folder")
	}
	if n, _, err := s.Size(); n != 0 || err != nil {
		t.Errorf("%d files are left, %v", n, err)
	}
}

// TestTwoAtOnce: whoever reads finds what somebody has written, and all of it.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	values := []string{strings.Repeat("a", 50_000), strings.Repeat("b", 70_000)}
	var all sync.WaitGroup
	for _, value := range values {
		s := Open(dir)
		all.Go(func() {
			for range 50 {
				if err := s.Put(Key{}, []byte(value)); err != nil {
					t.Error(err)
				}
				got, _, ok := s.Get(Key{}, 1<<20)
				if !ok || string(got) != values[0] && string(got) != values[1] {
					t.Errorf("read %d bytes, %v", len(got), ok)
				}
			}
		})
	}
	all.Wait()
}

func TestTrim(t *testing.T) {
	s := storeAt(t, aDay)
	put := func(name string, size int, used time.Duration) {
		t.Helper()
		if err := s.Put(KeyOf(name), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(s.file(KeyOf(name)), time.Time{}, aDay.Add(-used)); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		got := ""
		for _, name := range strings.Split("abcd", "") {
			if _, err := os.Stat(s.file(KeyOf(name))); err == nil {
				got += name
			}
		}
		if got != want {
			t.Errorf("left are %q, want %q", got, want)
		}
	}
	s.trimmed.Store(true)
	put("a", 100, 3*time.Hour)
	put("b", 100, 2*time.Hour)
	put("c", 100, time.Hour)
	put("d", 100, MaxUnused+time.Hour)
	other, foreign := filepath.Join(s.dir, "other"), filepath.Join(s.dir, strings.Repeat("0123456789abcdef", 4))
	if err := os.WriteFile(foreign, []byte("an object of another store by hashes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(foreign, time.Time{}, aDay.Add(-2*MaxUnused)); err != nil {
		t.Fatal(err)
	}
	young, old := filepath.Join(s.dir, unfinished+"1"), filepath.Join(s.dir, unfinished+"2")
	for _, name := range []string{other, young, old} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, aDay); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, aDay.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.trim(10, 1<<20); err != nil {
		t.Fatal(err)
	}
	is("abc")
	if _, err := os.Stat(old); err == nil {
		t.Error("what nobody finishes is left")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("what somebody writes is gone")
	}
	if _, _, ok := s.Get(KeyOf("a"), most); !ok { // which is a use
		t.Fatal("a is gone")
	}
	if err := s.trim(3, 1<<20); err != nil { // with the unfinished one
		t.Fatal(err)
	}
	is("ac")
	if err := s.trim(10, int64(100+extra)); err != nil {
		t.Fatal(err)
	}
	is("a")
	if n, size, err := s.Size(); n != 2 || size != int64(100+extra) || err != nil { // and the unfinished one
		t.Error(n, size, err)
	}
	if n, err := s.Clean(); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	is("")
	for _, name := range []string{other, foreign} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s is gone, which is not the cache's own", name)
		}
	}
}

// TestPutTrims: a process trims once.
func TestPutTrims(t *testing.T) {
	s := storeAt(t, aDay)
	before := &Store{dir: s.dir, now: s.now}
	for _, gone := range []bool{true, false} {
		if err := before.Put(KeyOf("old"), nil); err != nil {
			t.Fatal(err)
		}
		name := s.file(KeyOf("old"))
		if err := os.Chtimes(name, time.Time{}, aDay.Add(-2*MaxUnused)); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(KeyOf("new"), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(name); (err != nil) != gone {
			t.Errorf("want it gone: %v, is %v", gone, err)
		}
	}
}

func TestUsual(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		value, dir string
		wrong      bool
	}{{"off", "", false}, {dir, dir, false}, {"here", "", true}} {
		t.Setenv(Env, tt.value)
		s, err := Usual()
		if s.Dir() != tt.dir || (err != nil) != tt.wrong {
			t.Errorf("%q: %q, %v", tt.value, s.Dir(), err)
		}
	}
	t.Setenv(Env, "")
	usual, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	if s, err := Usual(); s.Dir() != filepath.Join(usual, "lockstep") || err != nil {
		t.Errorf("%q, %v", s.Dir(), err)
	}
}

// FuzzEntry: a file is an entry only if Put could have written it.
func FuzzEntry(f *testing.F) {
	s := Open(f.TempDir())
	s.now = func() time.Time { return aDay }
	k := KeyOf("a")
	if err := s.Put(k, []byte("value")); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(s.file(k))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(s.file(k), text, 0o600); err != nil {
			t.Fatal(err)
		}
		value, at, ok := s.Get(k, most)
		if !ok {
			return
		}
		if again := entryOf(k, at, value); !bytes.Equal(again, text) {
			t.Errorf("%q is read as %q", text, value)
		}
	})
}

// TestPutAtOnce: several may put entries, the first of which trims.
func TestPutAtOnce(t *testing.T) {
	s := Open(t.TempDir())
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := s.Put(KeyOf(string(rune(48+i))), []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n, _, err := s.Size(); n != 8 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}
