package pages

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
)

func TestCourseFrames(t *testing.T) {
	last := []string{"c", "G", "up", "enter", "right"} // fenced
	for _, c := range []struct {
		name string
		lang string
		keys []string
	}{
		{"locks", "en", nil},
		{"course", "en", []string{"c", "down", "down", "down", "down", "enter", "right", "esc", "down"}},
		{"course_claim", "en", []string{"c", "down", "down", "down", "down", "enter"}},
		{"course_works", "en", []string{"c", "down", "down", "down", "down", "enter", "right"}},
		{"course_worked", "en", []string{"c", "down", "down", "down", "down", "enter", "right", "G", "0", "G"}},
		{"course_question", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "G"}},
		{"course_explained", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "G", "b"}},
		{"course_violated", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "G", "b", "right", "right"}},
		{"course_why", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part"}},
		{"course_fix", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "right"}},
		{"course_compare", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "right", "right", "right", "right"}},
		{"course_compared", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "right", "right", "G"}},
		{"course_last", "en", append(slices.Clone(last[:2]), "enter", "end-part", "end-part")},
		{"course_turn", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "end-part", "end-part", "end-part", "enter", "enter"}},
		{"course_anew", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "esc", "r"}},
		{"course_turn_chinese", "zh", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "end-part", "end-part", "end-part", "f", "enter"}},
		{"course_reset", "en", []string{"c", "down", "down", "down", "down", "enter", "esc", "R"}},
		{"course_help", "en", []string{"c", "down", "down", "down", "down", "enter", "?"}},
		{"course_chinese", "zh", []string{"c", "down", "down", "down", "down", "enter", "esc"}},
		{"course_chinese_question", "zh", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "G"}},
		{"course_chinese_compared", "zh", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "right", "right", "G"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m := start(t, Options{Lang: c.lang}, w, h)
				for _, k := range c.keys {
					if k == "end-part" {
						endPart(m)
						continue
					}
					press(m, k)
				}
				return m
			})
		})
	}
}

// chapters is how many the course has.
func chapters(t *testing.T) int {
	t.Helper()
	usual, err := course.Usual()
	if err != nil {
		t.Fatal(err)
	}
	return len(usual.Chapters)
}

// TestResume: the chapters open where they were left, also another day, and a
// chapter that is done begins anew.
func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	m := start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c", "down", "enter", "right", "G")
	press(m, "esc", "esc")
	wantIn(t, m, fmt.Sprintf("0 of %d chapters of the course are done. Press c", chapters(t)))
	saveNow(t, m)

	m = start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c")
	wantText(t, m, "▸ [-] 2 GET, compare, DEL get-then-del (begun)", "[ ] 1 SET NX EX and plain DEL set-del")
	press(m, "enter")
	if at(m) != "player" || chapter(m).part() != workPart {
		t.Fatalf("it opens at %s:\n%s", chapter(m).part(), m.View())
	}
	for at(m) != "course" {
		endPart(m)
	}
	saveNow(t, m)
	if p, _, err := progress.In(dir).Load(); err != nil || p.Last != "get-then-del" || !p.Chapters["get-then-del"].Done {
		t.Errorf("saved: %+v %v", p, err)
	}

	m = start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c")
	wantText(t, m, "▸ [ ] 3 SET NX PX, Lua release set-lua", "[x] 2 GET, compare, DEL get-then-del (done)", fmt.Sprintf("chapter 3 of %d, 1 done", chapters(t)))
	press(m, "up", "enter")
	if at(m) != "page" || chapter(m).part() != claimPart || !m.progress.Chapters["get-then-del"].Done {
		t.Errorf("what is done opens at %s", chapter(m).part())
	}
}

// TestReset: only y forgets.
func TestReset(t *testing.T) {
	for _, key := range []string{"y", "n", "esc", "R", "enter"} {
		m := start(t, Options{}, 80, 24)
		press(m, "c", "enter", "esc", "R")
		wantIn(t, m, "Delete all progress? y deletes it")
		cmd := m.Update(keyMsg(key))
		if kept := len(m.progress.Chapters) > 0; kept != (key != "y") || at(m) != "course" {
			t.Errorf("%s: kept %v, page %s", key, kept, at(m))
		}
		if (cmd != nil) != (key == "y") {
			t.Errorf("%s: saves %v", key, cmd != nil)
		}
		m.Update(keyMsg("y"))
		if kept := len(m.progress.Chapters) > 0; kept != (key != "y") {
			t.Errorf("%s, then y: kept %v", key, kept)
		}
	}
	m := start(t, Options{}, 80, 24)
	press(m, "c", "R")
	if !isQuit(press(m, "q")) {
		t.Error("q does not quit while it asks")
	}
}

// TestResultsComeBack: predictions and the results of levels are there another
// day, where chapters and levels are listed.
func TestResultsComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	m := start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c", "down", "enter", "right", "G", "0")
	saveNow(t, m)
	m = start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c")
	wantText(t, m, "0 of 2 predicted")
	press(m, "enter", "G", "b")
	saveNow(t, m)
	m = start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c")
	wantText(t, m, "0 of 2 predicted")

	m = atLevel(t, Options{Progress: progress.In(dir), Explorer: explorer(t)}, "oversell", 80, 24)
	longWay(t, m)
	saveNow(t, m)
	m = start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "b")
	wantText(t, m, "set-del, 13 moves")
	m = atLevel(t, Options{Progress: progress.In(dir), Explorer: explorer(t)}, "oversell", 80, 24)
	press(m, "x")
	saveNow(t, m)
	if p, _, err := m.store.Load(); err != nil || p.Levels["oversell"] != (progress.Level{Moves: 13}) || len(p.Predictions) != 1 {
		t.Errorf("kept: %+v %v", p, err)
	}
}
