package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/progress"
	"lockstep/internal/testkit"
)

// TestUnsaved: it is said once, and the course goes on.
func TestUnsaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder")
	for _, dir := range []string{filepath.Join(file, "lockstep"), ""} {
		m := start(t, Options{}, 80, 24)
		m.store = progress.In(dir)
		_, cmd := press(m, "c"), press(m, "enter")
		m.Update(cmd())
		wantIn(t, m, "Progress cannot be saved")
		cmd = m.Update(keyMsg("right"))
		wantNotIn(t, m, "cannot be saved")
		deliverAll(m, cmd())
		wantNotIn(t, m, "cannot be saved")
		if view(m).run == nil {
			t.Error("the course does not go on")
		}
	}
}

// TestFarewellFromTheCourse also checks that what was done is written in the
// end, and nothing beside it.
func TestFarewellFromTheCourse(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "lockstep")
	out := live(t, Options{Progress: progress.In(dir)}, "c", "down", "down", "down", "down", "enter", "q")
	want := fmt.Sprintf("You have done 0 of %d chapters and are at setnx. Either of these, then c and\nenter, goes on there:\nlockstep\ngo run .", chapters(t))
	if out != want {
		t.Errorf("it is %q", out)
	}
	if p, _, err := progress.In(dir).Load(); err != nil || p.Last != "setnx" {
		t.Errorf("saved: %+v %v", p, err)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 1 {
		t.Errorf("written: %v %v", entries, err)
	}
}

// TestFullDisk: what cannot be written ends nothing, and is said once more in
// the end.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	write(t, filepath.Join(dir, "course.json", "x"), "in the way")
	_, lastLine, _ := strings.Cut(live(t, Options{Progress: progress.In(dir)}, "c", "enter", "q"), "You have done")
	if want := filepath.Join(dir, "course.json") + " is not a regular file"; !strings.Contains(lastLine, "Progress cannot be saved") || !strings.Contains(lastLine, want) {
		t.Errorf("the end is %q", lastLine)
	}
}

func saveNow(t testing.TB, m *Shell) {
	t.Helper()
	testkit.OK(t, m.store.Save())
}

func write(t testing.TB, file, text string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
	testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
}
