package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/cache"
)

// past is when the files of a module were written, long before anything reads them.
var past = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// put writes a file, and says that it was written in the past.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, past, past); err != nil {
		t.Fatal(err)
	}
}

// TestMake: tests of the same code are linked once, and again for whatever goes into them,
// or if what was kept is damaged.
func TestMake(t *testing.T) {
	dir := t.TempDir()
	with := func(name, text string) func() {
		return func() { t.Helper(); put(t, filepath.Join(dir, name), text) }
	}
	for _, do := range []func(){
		with("go.mod", "module example.com/made\n\ngo 1.26\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n"),
		with("dep/go.mod", "module example.com/dep\n\ngo 1.26\n"),
		with("dep/dep.go", "package dep\n\nvar V = 1\n"),
		with("script.lua", "return 1"),
		with("overlay.json", fmt.Sprintf(`{"Replace": {%q: %q}}`, filepath.Join(dir, "over_test.go"), filepath.Join(dir, "over.txt"))),
		with("over_test.go", "package made\n\nvar over = 0\n"),
		with("over.txt", "package made\n\nvar over = 1\n"),
		with("made_test.go", `package made

import (
	_ "embed"
	"testing"

	"example.com/dep"
)

//go:embed script.lua
var script string

func Test(t *testing.T) { t.Log(1, script, dep.V, over) }
`),
	} {
		do()
	}
	t.Setenv("GOFLAGS", "-overlay="+filepath.Join(dir, "overlay.json"))
	pkg, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	store := cache.Open(t.TempDir())
	var id string
	made := func(store *cache.Store) (linked, changed bool) {
		t.Helper()
		s := &Suite{Package: pkg, temp: t.TempDir(), store: store}
		s.take(cache.KeyOf("binary", s.Dir), s.binary()) // as link does
		was, _ := os.Stat(s.binary())
		err := s.link(t.Context())
		is, _ := os.Stat(s.binary())
		linked = !os.SameFile(was, is)
		now, ok := cache.Identify(s.binary())
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		changed, id = now != id, now
		return linked, changed
	}
	for _, tt := range []struct {
		when            string
		do              func()
		store           *cache.Store
		linked, changed bool
	}{
		{"first", func() {}, store, true, true},
		{"again", func() {}, store, false, false},
		{"without a store", func() {}, nil, true, false},
		{"other code", with("more_test.go", "package made\n\nfunc init() { println(2) }\n"), store, true, true},
		{"another dependency", with("dep/dep.go", "package dep\n\nvar V = 2\n"), store, true, true},
		{"another embedded file", with("script.lua", "return 2"), store, true, true},
		{"another file instead", with("over.txt", "package made\n\nvar over = 2\n"), store, true, true},
		{"again", func() {}, store, false, false},
		{"damaged", func() {
			kept, err := filepath.Glob(filepath.Join(store.Dir(), "*"))
			if err != nil || len(kept) != 1 {
				t.Fatal(kept, err)
			}
			text, err := os.ReadFile(kept[0])
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			put(t, kept[0], string(text))
		}, store, true, false},
		{"again", func() {}, store, false, false},
	} {
		tt.do()
		if linked, changed := made(tt.store); linked != tt.linked || changed != tt.changed {
			t.Errorf("%s: linked %v, of other code %v", tt.when, linked, changed)
		}
	}
}

// TestLinkAdapted: adapted code is compiled once for the same tests and the same program,
// and always if it is not known what the tests are.
func TestLinkAdapted(t *testing.T) {
	program, _ := cache.Builtin()
	s := &Suite{Package: &Package{Dir: t.TempDir(), name: "nowhere"}, Code: &Code{}, temp: t.TempDir(), store: cache.Open(t.TempDir())}
	if err := s.store.Put(cache.KeyOf("adapted", program, "same"), []byte("kept")); err != nil {
		t.Fatal(err)
	}
	for id, kept := range map[string]bool{"same": true, "other": false, "": false} {
		s.id = id
		if err := s.linkAdapted(t.Context()); (err == nil) != kept {
			t.Errorf("%q: %v", id, err)
		}
		if text, _ := os.ReadFile(s.adapted()); (string(text) == "kept") != kept {
			t.Errorf("%q: %q", id, text)
		}
	}
}
