package trial

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
)

// past is when the files of a module were written, long before anything reads them.
var past = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// put writes a file, and says that it was written in the past.
func put(t *testing.T, name, text string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
	testkit.OK(t, os.WriteFile(name, []byte(text), 0o700))
	testkit.OK(t, os.Chtimes(name, past, past))
}

// TestIdentity: the compiled tests are the same if they are linked again, and others for
// whatever goes into them.
func TestIdentity(t *testing.T) {
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
	overlay := "-overlay=" + filepath.Join(dir, "overlay.json")
	t.Setenv("GOFLAGS", overlay)
	linked := "-w"
	pkg := testkit.Must(Find(t.Context(), dir))(t)
	was := ""
	for _, tt := range []struct {
		when    string
		do      func()
		changed bool
	}{
		{"first", func() {}, true},
		{"again", func() {}, false},
		{"other code", with("more_test.go", "package made\n\nfunc init() { println(2) }\n"), true},
		{"another dependency", with("dep/dep.go", "package dep\n\nvar V = 2\n"), true},
		{"another embedded file", with("script.lua", "return 2"), true},
		{"another file instead", with("over.txt", "package made\n\nvar over = 2\n"), true},
		{"again", func() {}, false},
		{"linked as GOFLAGS says", func() { t.Setenv("GOFLAGS", overlay+" -ldflags=-s"); linked = "-s" }, true},
	} {
		tt.do()
		s := &Suite{Package: pkg, temp: t.TempDir()}
		testkit.OK(t, s.Build(t.Context(), s.binary()))
		is, ok := cache.Identify(s.binary())
		if changed := is != was; !ok || changed != tt.changed {
			t.Errorf("%s: known %v, of other code %v", tt.when, ok, changed)
		}
		was = is
		info := testkit.Must(buildinfo.ReadFile(s.binary()))(t)
		if !slices.Contains(info.Settings, debug.BuildSetting{Key: "-ldflags", Value: linked}) {
			t.Errorf("%s: linked by %v, want %s", tt.when, info.Settings, linked)
		}
	}
}
