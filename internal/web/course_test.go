package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
)

// TestPack: a course that was packed is read as it was, and the same bytes come of it
// each time.
func TestPack(t *testing.T) {
	for _, name := range course.Names() {
		packs(t, name)
	}
}

// TestPackOnlyTheCourse: what else is in its folder, as the thousands of files of a
// repository, is no part of a course, and what it reads through a link is one.
func TestPackOnlyTheCourse(t *testing.T) {
	files, closes, err := course.Files("locks-in-go-services")
	testkit.OK(t, err)
	defer closes()
	dir := t.TempDir()
	testkit.OK(t, os.CopyFS(dir, files))
	must := func(err error) {
		t.Helper()
		testkit.OK(t, err)
	}
	must(os.Rename(filepath.Join(dir, "course.toml"), filepath.Join(dir, "the real one")))
	must(os.Symlink("the real one", filepath.Join(dir, "course.toml")))
	must(os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	for i := range 2100 {
		must(os.WriteFile(filepath.Join(dir, ".git", fmt.Sprint(i)), []byte("x"), 0o600))
	}
	if runtime.GOOS != "windows" {
		must(os.WriteFile(filepath.Join(dir, `back\slash`), []byte("x"), 0o600))
	}
	must(os.WriteFile(filepath.Join(dir, "talk.mp4"), make([]byte, 20<<20), 0o600))
	packs(t, dir)
}

// TestSavedProgress: what "Save progress" writes for somebody who has done nothing is
// progress. What the engine stores, it reads.
func TestSavedProgress(t *testing.T) {
	script := testkit.Must(os.ReadFile("static/app.js"))(t)
	text := regexp.MustCompile(`new Blob\(\[stored\(kept\) .*\|\| '(.*)'\]`).FindSubmatch(script)
	if text == nil {
		t.Fatal("it is not found")
	}
	if p, err := progress.Parse(string(text[1])); err != nil || !p.IsNew() {
		t.Errorf("%s: %+v, %v", text[1], p, err)
	}
}

// packs packs a course and reads it as the engine does.
func packs(t *testing.T, where string) {
	t.Helper()
	want, packed, err := Packed(where)
	testkit.OK(t, err)
	_, again, err := Packed(where)
	if err != nil || string(again) != string(packed) {
		t.Errorf("%s: other bytes the second time, %v", where, err)
	}
	files := testkit.Must(course.Zip(packed))(t)
	got, err := course.Read(files, where)
	if err != nil || got.ID != want.ID || len(got.Chapters) != len(want.Chapters) || len(got.Levels) != len(want.Levels) || len(got.Stories) != len(want.Stories) {
		t.Errorf("%s: %+v, %v", where, got, err)
	}
	if len(packed) > 1<<20 {
		t.Errorf("%s: %d bytes", where, len(packed))
	}
}
