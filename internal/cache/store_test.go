package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
)

// storeAt is a store in a new folder at some time.
func storeAt(t *testing.T, at time.Time) *Store {
	s := Open(filepath.Join(t.TempDir(), "new", "cache"))
	s.now = func() time.Time { return at }
	return s
}

// put stores an answer, told by its limit.
func put(s *Store, k Key, limit string) error {
	return s.put(k, ReadNow(nil), Answer{Report: explore.Report{Limit: limit}})
}

// got is what there is under a key.
func got(s *Store, k Key) (limit string, at time.Time, ok bool) {
	e, ok := s.get(k)
	return e.Answer.Limit, e.At, ok
}

var aDay = time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)

func TestStore(t *testing.T) {
	s := storeAt(t, aDay)
	a, b := KeyOf("a"), KeyOf("b")
	for _, value := range []string{"one", "", "two, in its place"} {
		testkit.OK(t, put(s, a, value))
		limit, at, ok := got(s, a)
		if !ok || limit != value || !at.Equal(aDay) {
			t.Errorf("put %q, got %q of %v, %v", value, limit, at, ok)
		}
	}
	if _, _, ok := got(s, b); ok {
		t.Error("what was never put is there")
	}
	if err := put(s, b, strings.Repeat("x", maxEntry)); err != nil {
		t.Error(err)
	}
	if _, _, ok := got(s, b); ok {
		t.Error("more is kept than an entry may have")
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
	if err := put(s, Key(""), ""); err != nil {
		t.Error(err)
	}
	if _, _, ok := got(s, Key("")); ok {
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
	testkit.OK(t, put(s, k, "value"))
	was, _ := s.get(k)
	whole := testkit.Must(os.ReadFile(s.file(k)))(t)
	try := func(what string, at Key, text []byte) {
		t.Helper()
		testkit.OK(t, os.WriteFile(s.file(at), text, 0o600))
		if e, ok := s.get(at); ok && (at != k || SumOf(e) != SumOf(was)) { // the name of an empty field can change
			t.Errorf("%s: %+v", what, e)
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
	testkit.OK(t, os.Remove(s.file(k)))
	testkit.OK(t, os.Mkdir(s.file(k), 0o700))
	if _, _, ok := got(s, k); ok {
		t.Error("a folder is an entry")
	}
}

// TestCannotWrite: where nothing can be written, or not all, nothing is left over.
func TestCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testkit.OK(t, os.WriteFile(file, nil, 0o600))
	s := Open(filepath.Join(file, "cache"))
	if err := put(s, Key(""), ""); err == nil {
		t.Error("it was put below a file")
	}
	if _, _, ok := got(s, Key("")); ok {
		t.Error("it is there")
	}
	s = storeAt(t, aDay)
	testkit.OK(t, os.MkdirAll(s.file(Key("")), 0o700))
	if err := put(s, Key(""), "value"); err == nil {
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
				if err := put(s, Key(""), value); err != nil {
					t.Error(err)
				}
				if limit, _, ok := got(s, Key("")); !ok || !slices.Contains(values, limit) {
					t.Errorf("read %d bytes, %v", len(limit), ok)
				}
			}
		})
	}
	all.Wait()
}

func TestTrim(t *testing.T) {
	s := storeAt(t, aDay)
	keep := func(name string, used time.Duration) {
		t.Helper()
		testkit.OK(t, put(s, KeyOf(name), ""))
		testkit.OK(t, os.Chtimes(s.file(KeyOf(name)), time.Time{}, aDay.Add(-used)))
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
	keep("a", 3*time.Hour)
	keep("b", 2*time.Hour)
	keep("c", time.Hour)
	keep("d", MaxUnused+time.Hour)
	other, foreign := filepath.Join(s.dir, "other"), filepath.Join(s.dir, strings.Repeat("0123456789abcdef", 4))
	testkit.OK(t, os.WriteFile(foreign, []byte("an object of another store by hashes"), 0o600))
	testkit.OK(t, os.Chtimes(foreign, time.Time{}, aDay.Add(-2*MaxUnused)))
	young, old := filepath.Join(s.dir, unfinished+"1"), filepath.Join(s.dir, unfinished+"2")
	for _, name := range []string{other, young, old} {
		testkit.OK(t, os.WriteFile(name, nil, 0o600))
		testkit.OK(t, os.Chtimes(name, time.Time{}, aDay))
	}
	testkit.OK(t, os.Chtimes(old, time.Time{}, aDay.Add(-2*time.Hour)))
	testkit.OK(t, s.trim(10, 1<<20))
	is("abc")
	if _, err := os.Stat(old); err == nil {
		t.Error("what nobody finishes is left")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("what somebody writes is gone")
	}
	if _, _, ok := got(s, KeyOf("a")); !ok { // which is a use
		t.Fatal("a is gone")
	}
	if err := s.trim(3, 1<<20); err != nil { // with the unfinished one
		t.Fatal(err)
	}
	is("ac")
	info := testkit.Must(os.Stat(s.file(KeyOf("a"))))(t)
	testkit.OK(t, s.trim(10, info.Size()))
	is("a")
	if n, size, err := s.Size(); n != 2 || size != info.Size() || err != nil { // and the unfinished one
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
		testkit.OK(t, put(before, KeyOf("old"), ""))
		name := s.file(KeyOf("old"))
		testkit.OK(t, os.Chtimes(name, time.Time{}, aDay.Add(-2*MaxUnused)))
		testkit.OK(t, put(s, KeyOf("new"), ""))
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

// FuzzEntry: a file is an entry only if it says all that was written, and nothing in one makes
// a replay panic.
func FuzzEntry(f *testing.F) {
	s := Open(f.TempDir())
	k := KeyOf("a")
	a := Answer{Report: explore.Report{
		States: 3, Limit: "states", Spins: []model.Spin{{Client: "A", Does: []string{"GET"}}},
		Found:  []explore.Found{{Violation: history.Violation{Invariant: history.LockRecovers, Detail: lang.New("%s", "still")}, Schedule: history.Schedule{{Verb: history.Crash, Client: "A"}}, Point: -1}},
		Counts: explore.Counts{Enters: 2, Faults: map[history.Verb]int{history.Crash: 1}},
	}, Sampled: 5, Bound: 0.5, Traits: program.Traits{Draws: true, Delays: true, AtOnce: true}}
	testkit.OK(f, s.put(k, ReadNow(nil), a))
	whole := testkit.Must(os.ReadFile(s.file(k)))(f)
	if e, ok := s.get(k); !ok || fmt.Sprintf("%+v", e.Answer) != fmt.Sprintf("%+v", a) {
		f.Errorf("%+v, which was %+v", e.Answer, a)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		testkit.OK(t, os.WriteFile(s.file(k), text, 0o600))
		if e, ok := s.get(k); ok && e.sum() != e.Sum {
			t.Errorf("%q is read as %+v", text, e)
		}
		var e entry
		if json.Unmarshal(text, &e) == nil {
			Replay(t.Context(), &e.Answer.Report, false)
		}
	})
}

// TestPutAtOnce: several may put entries, the first of which trims.
func TestPutAtOnce(t *testing.T) {
	s := Open(t.TempDir())
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := put(s, KeyOf(string(rune(48+i))), "x"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n, _, err := s.Size(); n != 8 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}
