package pages

import (
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
)

// TestProgressOfOnesOwn: the progress of another course is another file.
func TestProgressOfOnesOwn(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	own := course.Named("what-redlock-assumes")
	m := start(t, Options{Course: own, Progress: progress.In(progress.Dir(own))}, 80, 24)
	press(m, "c", "enter", "right")
	saveNow(t, m)
	if m := start(t, Options{Progress: progress.In(progress.Dir(nil))}, 80, 24); len(m.progress.Chapters) != 0 {
		t.Errorf("the other course has %v", m.progress.Chapters)
	}
	if m := start(t, Options{Progress: progress.In(progress.Dir(own)), Course: own}, 80, 24); len(m.progress.Chapters) != 1 {
		t.Errorf("what was done is lost: %v", m.progress)
	}
}
