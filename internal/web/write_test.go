package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestWrite: a site is written into a new folder and over an earlier one, and nothing
// of anybody else is lost.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "site")
	old, now := Site{"index.html": []byte("old"), "app.js": []byte("1")}, Site{"index.html": []byte("new"), "app.js": []byte("1"), "more.js": []byte("2")}
	for _, s := range []Site{old, now, now} {
		testkit.OK(t, s.Write(dir))
	}
	put(t, dir, "notes.txt", "mine") // nobody minds
	if err := now.Write(dir); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"index.html": "new", "more.js": "2", "notes.txt": "mine"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	put(t, dir, "app.js", "mended by hand")
	refuses(t, now, dir, "app.js is not as lockstep web has written it")
	if got, _ := os.ReadFile(filepath.Join(dir, "app.js")); string(got) != "mended by hand" {
		t.Errorf("app.js is now %q", got)
	}
}

// TestWriteHalf: what was interrupted is written to its end.
func TestWriteHalf(t *testing.T) {
	dir := t.TempDir()
	site := Site{"index.html": []byte("new"), "app.js": []byte("1")}
	testkit.OK(t, site.Write(dir))
	testkit.OK(t, os.Remove(filepath.Join(dir, "index.html")))
	if err := site.Write(dir); err != nil {
		t.Error(err)
	}
}

func TestWriteRefuses(t *testing.T) {
	site := Site{"index.html": []byte("new")}
	dir := t.TempDir()
	put(t, dir, "thesis.txt", "mine")
	refuses(t, site, dir, "has files (thesis.txt)")
	dir = t.TempDir()
	put(t, dir, marker, "{}")
	refuses(t, site, dir, "is not of lockstep web")
	dir = t.TempDir()
	testkit.OK(t, (Site{}).Write(dir))
	put(t, dir, "index.html", "mine")
	refuses(t, site, dir, "index.html is not as lockstep web has written it")
}

func refuses(t *testing.T, s Site, dir, want string) {
	t.Helper()
	if err := s.Write(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// TestSize: a class waits for the engine, and reads before it is there.
func TestSize(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "it compiles the engine; nothing else holds its size")
	const most = 6_890_000 // bytes; questions that return, goals out of reach, a lock and five stories took 29 KB
	if size := len(siteOf(t)["engine.bin"]); size > most {
		t.Errorf("the engine has %d bytes, at most %d are meant to be", size, most)
	}
	const firstMost = 150_000 // bytes, compressed
	early := 0
	for _, name := range []string{"index.html", "style.css", "app.js", "draw.js", "keys.js", "worker.js", "first.js"} {
		text := Compressed(siteOf(t)[name])
		early += len(text)
	}
	for name, text := range siteOf(t) { // of which a reader takes one
		if size := early + len(text); strings.HasPrefix(name, "first.") && size > firstMost {
			t.Errorf("%s: %d bytes before the engine, at most %d are meant to be", name, size, firstMost)
		}
	}
	t.Logf("%d bytes before the engine, without one of the files with first pages", early)
}
