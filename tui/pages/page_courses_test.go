package pages

import (
	"errors"
	"path/filepath"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
)

// TestCourses: the courses that come with the program are chosen from a list, each with
// its own chapters and its own progress; one that cannot be read says so and changes
// nothing.
func TestCourses(t *testing.T) {
	dir := t.TempDir()
	var list []Choice
	for _, id := range course.Names() {
		list = append(list, Choice{id, func() (*course.Course, *progress.Store, error) {
			c, err := course.Named(id)
			return c, progress.In(filepath.Join(dir, id)), err
		}})
	}
	list = append(list, Choice{"broken", func() (*course.Course, *progress.Store, error) { return nil, nil, errors.New("no such folder") }})
	m := start(t, Options{Courses: list, Progress: progress.In(filepath.Join(dir, course.Builtin))}, 80, 24)
	press(m, "c", "enter", "right", "esc")
	saveNow(t, m)
	press(m, "o")
	wantIn(t, m, "▸ Redis locks, one after the other", "31 chapters", "course 1 of 6", "A chapter for each lock")
	press(m, "G")
	wantIn(t, m, "✗  no such folder")
	press(m, "enter")
	wantIn(t, m, "no such folder", "▸ broken")
	press(m, "up", "enter")
	wantIn(t, m, "What Redlock assumes", "[ ]  1  ")
	press(m, "enter", "right", "esc")
	if m.course.ID != "what-redlock-assumes" || len(m.progress.Chapters) != 1 {
		t.Errorf("it is %s, with %+v", m.course.ID, m.progress)
	}
	press(m, "o", "g", "enter")
	wantText(t, m, "[-] 1 SET NX EX and plain DEL set-del")
	press(m, "esc")
	if at(m) != "locks" {
		t.Errorf("esc leads to\n%s", m.View())
	}
	if m = start(t, Options{}, 80, 24); works(m, coursesKey) {
		t.Error("there is only one course")
	}
}

// TestSettled: to open a level, or to be wrong about it, does not settle it.
func TestSettled(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	for id, tests := range map[string]map[progress.Level]bool{
		"delete-the-next": {{}: false, {Claimed: true}: false, {GaveUp: true}: true, {Moves: 12}: true},
		"compared-in-one": {{}: false, {Claimed: true}: true, {GaveUp: true}: true},
	} {
		for r, want := range tests {
			if m.progress.Levels[id] = r; m.isSettled(id) != want {
				t.Errorf("%s with %+v: settled %t", id, r, !want)
			}
		}
	}
}
