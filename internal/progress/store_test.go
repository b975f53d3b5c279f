package progress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
	testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
}

func TestDir(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/state", "/home/me", "/state/lockstep"},
		{"", "/home/me", "/home/me/.local/state/lockstep"},
		{"not/absolute", "/home/me", "/home/me/.local/state/lockstep"},
		{"", "", ""},
		{"", "not/absolute", ""},
	} {
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		if got := Dir(nil); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// some is progress that names one thing everywhere.
func some(name string) Progress {
	return Progress{
		Version: version, Last: name, Chapters: map[string]Chapter{name: {Part: "why", Done: true}},
		Levels:      map[string]Level{name: {Moves: 12, Faults: 1}},
		Predictions: map[string]map[string]Answer{name: {"Is it?": {First: true, Last: true}}},
	}
}

// A dirStore is a store, and the folder that it keeps progress in.
type dirStore struct {
	*Store
	*folder
}

func newStore(dir string) *dirStore {
	s := In(dir)
	return &dirStore{s, s.place.(*folder)}
}

// add notes news, as a walkthrough does.
func (s *dirStore) add(news Progress) { s.Change(func(p *Progress) { p.Add(news) }) }

func everything(p *Progress) { *p = New() }

func mustSave(t *testing.T, s *dirStore) {
	t.Helper()
	testkit.OK(t, s.Save())
}

// wantEntries checks what is in a folder.
func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries := testkit.Must(os.ReadDir(dir))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("in the folder: %q, want %q", got, want)
	}
}

func TestProgressComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lockstep")
	s := newStore(dir)
	p, aside, err := s.Load()
	if err != nil || aside != "" || len(p.Chapters) != 0 {
		t.Fatalf("nothing there: %+v %q %v", p, aside, err)
	}
	p = some("setnx")
	s.add(p)
	mustSave(t, s)
	if got, aside, err := s.Load(); err != nil || aside != "" || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v %q %v", got, aside, err)
	}
	wantEntries(t, dir, progressFile, lockFile)
	info, err := os.Stat(filepath.Join(dir, progressFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	for _, want := range []error{nil, fs.ErrNotExist} {
		if file, err := Reset(dir, yes); !errors.Is(err, want) || file != filepath.Join(dir, progressFile) {
			t.Error(file, err)
		}
		if p, _, _ := s.Load(); len(p.Chapters) != 0 {
			t.Errorf("after a reset: %+v", p)
		}
	}
}

// TestOldProgress: a file that has only chapters is read, and stays.
func TestOldProgress(t *testing.T) {
	s := newStore(t.TempDir())
	write(t, s.path(), `{"version":1,"last":"set-del","chapters":{"setnx":{"part":"why","done":true},"set-del":{"part":"work","done":false}}}`+"\n")
	s.add(some("fenced"))
	mustSave(t, s)
	p, aside, err := s.Load()
	if err != nil || aside != "" || len(p.Chapters) != 3 || !p.Chapters["setnx"].Done || p.Last != "fenced" {
		t.Errorf("%+v %q %v", p, aside, err)
	}
}

// TestAdd: nothing that was achieved is lost by what comes later.
func TestAdd(t *testing.T) {
	of := func(r Level) Progress { return Progress{Levels: map[string]Level{"l": r}} }
	for _, c := range []struct{ was, now, want Level }{
		{Level{}, Level{GaveUp: true}, Level{GaveUp: true}},
		{Level{GaveUp: true}, Level{Moves: 9, GaveUp: true}, Level{Moves: 9, GaveUp: true}},
		{Level{Moves: 9}, Level{GaveUp: true}, Level{Moves: 9}},
		{Level{Moves: 9}, Level{Moves: 8}, Level{Moves: 8}},
		{Level{Moves: 9}, Level{Moves: 10}, Level{Moves: 9}},
		{Level{Moves: 9}, Level{Moves: 3, Faults: 1}, Level{Moves: 9}},
		{Level{Moves: 3, GaveUp: true}, Level{Moves: 9}, Level{Moves: 9}},
		{Level{Claimed: true}, Level{}, Level{Claimed: true}},
		{Level{Claimed: true}, Level{Moves: 7}, Level{Moves: 7, Claimed: true}},
		{Level{Moves: 7}, Level{Claimed: true}, Level{Moves: 7, Claimed: true}},
		{Level{Moves: 7}, Level{}, Level{Moves: 7}},
	} {
		p := New()
		p.Add(of(c.was))
		p.Add(of(c.now))
		if got := p.Levels["l"]; got != c.want {
			t.Errorf("%+v, then %+v: %+v, want %+v", c.was, c.now, got, c.want)
		}
	}
	guessed := func(right bool) Progress {
		return Progress{Predictions: map[string]map[string]Answer{"s": {"q": {right, right}}}}
	}
	p := New()
	p.Add(guessed(false))
	p.Add(guessed(true))
	if got := p.Predictions["s"]["q"]; got != (Answer{First: false, Last: true}) {
		t.Errorf("guessed wrong, then right: %+v", got)
	}
	if right, of := p.Predicted("s", "other"); right != 0 || of != 1 {
		t.Errorf("%d of %d", right, of)
	}
	p.Add(Progress{Chapters: map[string]Chapter{"c": {Part: "fix", Done: true}}})
	p.Add(Progress{Chapters: map[string]Chapter{"c": {Part: "claim"}}})
	if got := p.Chapters["c"]; got != (Chapter{Part: "claim", Done: true}) {
		t.Errorf("a chapter that is done: %+v", got)
	}
}

// TestTwoWalkthroughs: what several of them keep at the same time is all there
// afterwards, and what one of them forgets comes back with none.
func TestTwoWalkthroughs(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	const each = 15
	for who := range 4 {
		all.Go(func() {
			s := newStore(dir)
			s.wait = time.Minute // however slow the machine is
			for n := range each {
				s.add(some(fmt.Sprint(who, " ", n)))
				if err := s.Save(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	one, other := newStore(dir), newStore(dir)
	p, _, err := one.Load()
	if err != nil || len(p.Chapters) != 4*each || len(p.Levels) != 4*each || len(p.Predictions) != 4*each {
		t.Errorf("%d chapters, %d levels, %d stories, %v", len(p.Chapters), len(p.Levels), len(p.Predictions), err)
	}
	wantEntries(t, dir, progressFile, lockFile)
	one.Change(everything)
	mustSave(t, one)
	other.add(some("setnx"))
	mustSave(t, other)
	if p, _, _ := one.Load(); len(p.Chapters) != 1 {
		t.Errorf("after it was forgotten: %+v", p)
	}
}

// TestSavesOfOne may come in any order, and twice: nothing is lost.
func TestSavesOfOne(t *testing.T) {
	s := newStore(t.TempDir())
	var all sync.WaitGroup
	for n := range 20 {
		s.add(some(fmt.Sprint(n)))
		all.Go(func() {
			if err := s.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p, _, _ := s.Load(); len(p.Chapters) != 20 || p.Last != "19" {
		t.Errorf("%d chapters, the last %s", len(p.Chapters), p.Last)
	}
}

// TestStoppedBesides: one that holds the lock and does not go on costs the
// other its save, not its time.
func TestStoppedBesides(t *testing.T) {
	s := newStore(t.TempDir())
	unlock := testkit.Must(newStore(s.dir).lock())(t)
	s.wait = 0
	s.add(some("setnx"))
	if err := s.Save(); err == nil || !strings.Contains(err.Error(), filepath.Join(s.dir, lockFile)) {
		t.Errorf("%v", err)
	}
	unlock()
	s.wait = time.Minute
	mustSave(t, s) // the news has stayed
	if p, _, _ := s.Load(); len(p.Chapters) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestForgetThatFails: what was to be forgotten still is, the next time.
func TestForgetThatFails(t *testing.T) {
	s := newStore(t.TempDir())
	s.add(some("old"))
	mustSave(t, s)
	dir := s.dir
	s.Change(everything)
	s.dir = ""
	if s.Save() == nil {
		t.Fatal("no error")
	}
	s.add(some("new"))
	s.dir = dir
	mustSave(t, s)
	if p, _, _ := s.Load(); len(p.Chapters) != 1 || p.Last != "new" {
		t.Errorf("%+v", p)
	}
}

// TestProgressWithoutClaims: a file that was written before levels could be claimed is read
// as it was meant, and a chapter that was done stays done.
func TestProgressWithoutClaims(t *testing.T) {
	p, err := Parse(`{"version":1,"last":"setnx","chapters":{"setnx":{"part":"compare","done":true}},` +
		`"levels":{"oversell":{"moves":12,"faults":0,"gave_up":false}},"predictions":{"a":{"b?":{"first":true,"last":false}}}}`)
	want := New()
	want.Last = "setnx"
	want.Chapters["setnx"] = Chapter{Part: "compare", Done: true}
	want.Levels["oversell"] = Level{Moves: 12}
	want.Predictions["a"] = map[string]Answer{"b?": {First: true}}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestForgetOneThing: what is forgotten is gone from the file too, but not what
// others wrote, nor what came after; also if it could not be saved at first.
func TestForgetOneThing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	one, other := newStore(dir), newStore(dir)
	one.add(some("a"))
	other.add(some("b"))
	mustSave(t, one)
	mustSave(t, other)
	one.Change(func(p *Progress) { delete(p.Levels, "a") })
	one.dir = "" // it cannot be saved
	if err := one.Save(); err == nil {
		t.Fatal("saved nowhere")
	}
	one.dir = dir
	one.add(some("c"))
	one.Change(func(p *Progress) { delete(p.Chapters, "c") })
	mustSave(t, one)
	p, _, err := other.Load()
	if err != nil || len(p.Levels) != 2 || p.Levels["a"] != (Level{}) || len(p.Chapters) != 2 || p.Chapters["c"].Done {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestDamagedText: a damaged text is kept elsewhere, and progress begins again.
func TestDamagedText(t *testing.T) {
	text, aside := "damaged", ""
	store := (&Text{
		Read: func() string { return text }, Write: func(s string) error { text = s; return nil },
		Aside: func(s string) string { aside = s; return "there" },
	}).Store()
	if p, where, err := store.Load(); err != nil || where != "there" || aside != "damaged" || !p.IsNew() {
		t.Errorf("%+v, %q, %v; aside is %q", p, where, err, aside)
	}
	store.Change(func(p *Progress) { p.Last = "setnx" })
	testkit.OK(t, store.Save())
	if p, err := Parse(text); err != nil || p.Last != "setnx" {
		t.Errorf("kept is %q, %v", text, err)
	}
}
