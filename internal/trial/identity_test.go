package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/cache"
)

// twoLocks is a module with two locks, whose tests reach different code, a module
// beside it, and files that are no code.
var twoLocks = map[string]string{
	"two/go.mod":                  "module example.com/two\n\ngo 1.24\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ../other\n",
	"two/doc.go":                  "// Package two has two locks.\npackage two\n",
	"two/script.lua":              "return 1\n",
	"two/testdata/reply.txt":      "OK\n",
	"two/testdata/lockstep/x.txt": "a token\n",
	"two/two_test.go": `package two

import (
	"testing"

	"example.com/two/a"
	"example.com/two/b"
)

func TestA(t *testing.T) { t.Log(a.New().Do()) }

func TestB(t *testing.T) { viaB(t) }

func viaB(t *testing.T) { t.Log(b.Do(b.Most)) }

func TestMain(m *testing.M) { m.Run() }

func TestSub(t *testing.T) { t.Run("x", TestA) }
`,
	"two/a/a.go": `package a

import "example.com/other"

type T struct{ n int }

func New() *T { return &T{1} }

func (t *T) Do() int { return t.n + other.One() }

func (t *T) String() string { return "T" }
`,
	"two/b/b.go":         "package b\n\nconst Most = 3\n\nfunc Do(n int) int { return max(n, 2) }\n",
	"two/b/unused.go":    "package b\n\nfunc Unused() {}\n",
	"two/unread/code.go": "package unread\n\nfunc F() {}\n",
	"other/go.mod":       "module example.com/other\n\ngo 1.24\n",
	"other/other.go":     "package other\n\nfunc One() int { return 1 }\n",
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// known is what tells the code of a package's tests apart: of all, and of each test.
func known(t *testing.T, dir string, tests ...string) (all []string) {
	t.Helper()
	pkg, err := Find(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	code, err := pkg.Code(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, code.whole)
	r := newReach(code)
	for _, test := range tests {
		if r == nil || code.whole == "" {
			all = append(all, "")
		} else {
			all = append(all, r.of(test, code.around))
		}
	}
	return all
}

// TestIdentity: a change of anything that a test reaches, of what runs before it and of
// what it may read makes another identity, and a change elsewhere does not.
func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	for name, text := range twoLocks {
		write(t, dir, name, text)
	}
	two := filepath.Join(dir, "two")
	tests := []string{"TestA", "TestB", "TestSub/x"}
	base := known(t, two, tests...)
	if again := known(t, two, tests...); strings.Join(base, " ") != strings.Join(again, " ") || base[0] == "" || base[1] == "" || base[1] == base[2] {
		t.Fatalf("%q, and again %q", base, again)
	}
	// changed says which differ: w for the whole, a, b and s for the tests.
	changed := func(now []string) (which string) {
		for i := range now {
			if now[i] != base[i] {
				which += string("wabs"[i])
			}
		}
		return which
	}
	for _, tt := range []struct {
		file     string
		from, to string // all of the file if from is empty
		want     string
	}{
		{"two/a/a.go", "&T{1}", "&T{2}", "was"},
		{"two/a/a.go", "t.n + other.One()", "t.n - other.One()", "was"},
		{"two/a/a.go", `return "T"`, `return "t"`, "was"}, // fmt calls it
		{"two/b/b.go", "Most = 3", "Most = 4", "wb"},
		{"two/b/b.go", "max(n, 2)", "max(n, 1)", "wb"},
		{"two/two_test.go", "b.Do(b.Most)", "b.Do(1)     ", "wb"},
		{"two/two_test.go", "a.New().Do()", "a.New()     ", "was"},
		{"two/two_test.go", `t.Run("x"`, `t.Run("y"`, "ws"},
		{"two/b/unused.go", "func Unused() {}", "func Unused() { println() }", "w"},
		{"two/b/unused.go", "func Unused() {}", "func max(n, m int) int { return n }", "wb"}, // not the builtin any more
		{"two/b/unused.go", "func Unused() {}", "func init() {}", "wabs"},
		{"two/b/unused.go", "func Unused() {}", "var Unused = len(`x`)", "wabs"},
		{"two/b/unused.go", "package b\n", "package b\n\nimport _ \"example.com/other\"\n", "wabs"},
		{"two/b/unused.go", "package b", "//go:build go1.21\n\npackage b", "wabs"}, // the version of the language
		{"two/two_test.go", "m.Run()", "_ = m.Run()", "wabs"},
		{"two/new_test.go", "", "package two\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {}\n", "wabs"}, // an import may have an init
		{"two/new.go", "", "package two\n\nfunc New() int { return 1 }\n", "wabs"},                              // as New is what a test calls
		{"other/other.go", "return 1", "return 2", "wabs"},
		{"two/go.mod", "go 1.24\n", "go 1.25\n", "wabs"},
		{"two/go.mod", "go 1.24\n", "go 1.24\n\ngodebug panicnil=1\n", "wabs"},
		{"two/script.lua", "1", "2", "wabs"},
		{"two/a/new.lua", "", "1", "wabs"},
		{"two/testdata/reply.txt", "OK", "ERR", "wabs"},
		{"two/testdata/more/reply.txt", "", "OK", "wabs"},
		{"two/testdata/lockstep/x.txt", "a", "b", ""}, // go test writes it, check does not read it
		{"two/unread/code.go", "F", "G", ""},
	} {
		text := tt.to
		if tt.from != "" {
			if text = strings.Replace(twoLocks[tt.file], tt.from, tt.to, 1); text == twoLocks[tt.file] {
				t.Fatalf("%s has no %q", tt.file, tt.from)
			}
		}
		write(t, dir, tt.file, text)
		now := known(t, two, tests...)
		if now[0] == "" {
			t.Errorf("%s, %q for %q does not compile", tt.file, tt.to, tt.from)
		}
		if got := changed(now); got != tt.want {
			t.Errorf("%s, %q for %q: %q change, want %q", tt.file, tt.to, tt.from, got, tt.want)
		}
		if was, ok := twoLocks[tt.file]; ok {
			write(t, dir, tt.file, was)
		} else if err := os.Remove(filepath.Join(dir, tt.file)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, value, want string }{
		{"REDIS_LOCK_TTL", "3", "wabs"}, {"GOFLAGS", "-tags=x", "wabs"}, {"GODEBUG", "panicnil=1", "wabs"}, {"TERM", "vt52", ""}, {"SSH_TTY", "/dev/pts/9", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(tt.name, tt.value)
			if got := changed(known(t, two, tests...)); got != tt.want {
				t.Errorf("%q change, want %q", got, tt.want)
			}
		})
	}
	if got := changed(known(t, two, tests...)); got != "" {
		t.Fatalf("in the end %q have changed", got)
	}
}

// TestUnknownIdentity: what cannot be compiled, or has more beside it than can be read,
// has no identity; code that calls what it does not name belongs to every test.
func TestUnknownIdentity(t *testing.T) {
	dir := t.TempDir()
	for name, text := range twoLocks {
		write(t, dir, name, text)
	}
	two := filepath.Join(dir, "two")
	base := known(t, two, "TestA", "TestGone")
	if base[1] == "" || base[2] != "" {
		t.Errorf("of a test and of none: %q", base)
	}
	for _, tt := range []struct {
		file, text string
		whole      bool
	}{
		{"two/b/unused.go", "package b\n\nfunc Unused() { x }\n", false},
		{"two/b/unused.go", "package b\n\nimport _ \"unsafe\"\n\n//go:linkname Unused example.com/two/b.hidden\nfunc Unused() {}\n", true},
		{"two/b/b_amd64.s", "// nothing\n", true},
	} {
		write(t, dir, tt.file, tt.text)
		if tt.file != "two/b/unused.go" {
			write(t, dir, strings.Replace(tt.file, "amd64", "arm64", 1), tt.text)
			write(t, dir, "two/b/unused.go", twoLocks["two/b/unused.go"])
		}
		if now := known(t, two, "TestA"); now[1] != "" || (now[0] != "") != tt.whole {
			t.Errorf("%s, %q: %q", tt.file, tt.text, now)
		}
	}
	for _, name := range []string{"two/doc.go", "two/b/b_amd64.s", "two/b/b_arm64.s"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if now := known(t, two, "TestA"); now[0] == "" || now[1] == "" {
		t.Errorf("of a package that is tests alone: %q", now)
	}
	if all, ok := besides([]string{two}, filepath.Join(two, "testdata")); !ok || len(all) != 2*3 {
		t.Errorf("beside it are %q, %v", all, ok)
	}
	for n := range maxBeside + 1 {
		write(t, dir, filepath.Join("many", strings.Repeat("x", 1+n%200)+string(rune('a'+n/200))), "")
	}
	if _, ok := besides([]string{filepath.Join(dir, "many")}, ""); ok {
		t.Error("there is no bound on files")
	}
	if _, ok := besides([]string{filepath.Join(dir, "nowhere")}, ""); ok {
		t.Error("a folder that is not there can be read")
	}
}

// TestSavedMeanwhile: what a binary says is not kept if a file was saved after the code
// was listed; and a binary of unchanged code is linked once.
func TestSavedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range twoLocks {
		write(t, dir, name, text)
	}
	store := cache.Open(filepath.Join(dir, "cache"))
	suite := func() *Suite {
		t.Helper()
		pkg, err := Find(t.Context(), filepath.Join(dir, "two"))
		if err != nil {
			t.Fatal(err)
		}
		code, err := pkg.Code(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		s := &Suite{Package: pkg, Code: code, temp: t.TempDir(), store: store, reach: newReach(code), ids: map[string]string{}}
		s.unchanged = sync.OnceValue(func() bool { return s.again(t.Context()) })
		return s
	}
	lock := &Lock{Listed: Listed{Test: "TestA"}}
	entries := func(want int) {
		t.Helper()
		if n, _, err := store.Size(); n != want || err != nil {
			t.Errorf("%d entries, want %d; %v", n, want, err)
		}
	}
	s := suite()
	write(t, dir, "two/a/a.go", strings.Replace(twoLocks["two/a/a.go"], "&T{1}", "&T{2}", 1))
	if _, ok := s.Identity(lock); !ok {
		t.Error("the code is unknown")
	}
	if err := s.link(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Unchanged() {
		t.Error("the code is what it was")
	}
	entries(0)
	for range 2 {
		s = suite()
		if err := s.link(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Identity(lock); !ok || !s.Unchanged() {
			t.Error("the code is unknown")
		}
		entries(1)
	}
	damaged, err := filepath.Glob(filepath.Join(store.Dir(), "*"))
	if err != nil || len(damaged) != 1 {
		t.Fatal(damaged, err)
	}
	text, err := os.ReadFile(damaged[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	write(t, "", damaged[0], string(text))
	if err := suite().link(t.Context()); err != nil {
		t.Error("with a damaged binary:", err)
	}
	if s = suite(); !s.taken(cache.KeyOf("binary", s.whole), s.binary()) {
		t.Error("the binary is not in the store")
	}
	if _, err := os.Stat(s.binary()); err != nil {
		t.Error(err)
	}
}

// TestMakeKeepsWhatItBuilds: a binary of unchanged code is built once for each kind.
func TestMakeKeepsWhatItBuilds(t *testing.T) {
	dir := t.TempDir()
	s := &Suite{temp: dir, store: cache.Open(filepath.Join(dir, "cache"))}
	for _, tt := range []struct {
		kind              string
		unchanged, builds bool
	}{
		{"binary", false, true}, {"binary", true, true}, {"binary", true, false}, {"adapted binary", true, true}, {"adapted binary", true, false},
	} {
		built := false
		build := func() error {
			built = true
			return os.WriteFile(s.adapted(), []byte(tt.kind), 0o700)
		}
		if err := os.RemoveAll(s.adapted()); err != nil {
			t.Fatal(err)
		}
		if err := s.make(cache.KeyOf(tt.kind), s.adapted(), build, func() bool { return tt.unchanged }); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(s.adapted())
		if built != tt.builds || string(text) != tt.kind || err != nil {
			t.Errorf("%+v: built %v: %q, %v", tt, built, text, err)
		}
	}
}
