package tui

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/sim/testsize"
)

func TestCourseFrames(t *testing.T) {
	last := []string{"c", "G", "up", "enter", "right"} // fenced
	for _, c := range []struct {
		name string
		lang string
		keys []string
	}{
		{"locks", "en", nil},
		{"course", "en", []string{"c", "enter", "right", "esc", "down"}},
		{"course_claim", "en", []string{"c", "enter"}},
		{"course_works", "en", []string{"c", "enter", "right"}},
		{"course_worked", "en", []string{"c", "enter", "right", "G"}},
		{"course_question", "en", []string{"c", "enter", "end-part", "end-part", "G"}},
		{"course_explained", "en", []string{"c", "enter", "end-part", "end-part", "G", "y", "right"}},
		{"course_violated", "en", []string{"c", "enter", "end-part", "end-part", "G", "y", "right", "right"}},
		{"course_why", "en", []string{"c", "enter", "end-part", "end-part", "end-part"}},
		{"course_fix", "en", []string{"c", "enter", "end-part", "end-part", "end-part", "right"}},
		{"course_compare", "en", []string{"c", "enter", "end-part", "end-part", "end-part", "right", "right", "right", "right"}},
		{"course_compared", "en", []string{"c", "down", "down", "down", "down", "enter", "end-part", "end-part", "end-part", "right", "right", "G"}},
		{"course_last", "en", append(slices.Clone(last[:2]), "enter", "end-part", "end-part")},
		{"course_reset", "en", []string{"c", "enter", "esc", "R"}},
		{"course_help", "en", []string{"c", "enter", "?"}},
		{"course_chinese", "zh", []string{"c", "enter", "esc"}},
		{"course_chinese_question", "zh", []string{"c", "enter", "end-part", "end-part", "G"}},
		{"course_chinese_compared", "zh", []string{"c", "enter", "end-part", "end-part", "end-part", "right", "right", "G"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(ascii bool, w, h int) *shell {
				m := start(t, Options{Lang: c.lang, ASCII: ascii}, w, h)
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

// endPart goes to the end of a part of a chapter, and on to the next.
func endPart(m *shell) {
	for !atEnd(m) {
		forward(m)
	}
	press(m, "right")
}

// TestWholeCourse walks through every part of every chapter, and everything is
// done then.
func TestWholeCourse(t *testing.T) {
	for _, lang := range testsize.Some(t, []string{"en", "zh"}, 2, 1) {
		m := start(t, Options{Lang: lang}, 80, 24)
		press(m, "c")
		for i, ch := range m.course.chapters {
			press(m, "enter")
			if m.course.open().Lock != ch.Lock || m.course.chapter.at != i {
				t.Fatalf("chapter %d is %s, want %s", i+1, m.course.open().Lock, ch.Lock)
			}
			for range partsOf(ch) {
				if view(m).failed != nil || !inLesson(m) {
					t.Fatalf("%s, part %d: %v\n%s", ch.Lock, lesson(m).at.at+1, view(m).failed, m.View())
				}
				check(t, m)
				before := lesson(m).at.at
				endPart(m)
				if at(m) != "course" && lesson(m).at.at == before {
					t.Fatalf("%s stays at part %d", ch.Lock, before+1)
				}
			}
			if at(m) != "course" || m.chaptersDone() != i+1 {
				t.Fatalf("after %s: page %s, %d chapters done", ch.Lock, at(m), m.chaptersDone())
			}
		}
	}
}

// TestMeantToFail: a run that breaks a lock says before and after that it is
// meant to, and one that shows it at work says so too.
func TestMeantToFail(t *testing.T) {
	testsize.Single(t)
	m := start(t, Options{}, 80, 24)
	press(m, "c")
	for range m.course.chapters {
		press(m, "enter")
		for range partsOf(m.course.open()) {
			here := lesson(m).part()
			begins := m.View()
			for !atEnd(m) {
				forward(m)
			}
			view(m).card = false
			ends := m.View()
			want := map[part]string{breakPart: "This lock is meant to fail here.", workPart: "This run is meant to go well."}[here]
			if !strings.Contains(begins, want) || here == breakPart && !strings.Contains(ends, "It ended as intended") {
				t.Errorf("%s, %s:\n%s\n%s", lesson(m).chapter.Lock, here, begins, ends)
			}
			press(m, "right")
		}
	}
}

// TestResume: the chapters open where they were left, also another day, and a
// chapter that is done begins anew.
func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	m := start(t, Options{State: dir}, 80, 24)
	press(m, "c", "down", "enter", "right", "G")
	press(m, "esc", "esc")
	wantIn(t, m, "0 of 21 chapters of the course are done. Press c")
	saveNow(t, m)

	m = start(t, Options{State: dir}, 80, 24)
	press(m, "c")
	wantIn(t, m, "▸ [-]  2  setnx-expire        begun", "  [ ]  1  setnx               not yet")
	press(m, "enter")
	if at(m) != "player" || lesson(m).part() != workPart {
		t.Fatalf("it opens at %s:\n%s", lesson(m).part(), m.View())
	}
	for at(m) != "course" {
		endPart(m)
	}
	saveNow(t, m)
	if p, _, err := newStore(dir).load(); err != nil || p.Last != "setnx-expire" || !p.Chapters["setnx-expire"].Done {
		t.Errorf("saved: %+v %v", p, err)
	}

	m = start(t, Options{State: dir}, 80, 24)
	press(m, "c")
	wantIn(t, m, "▸ [ ]  3  multi-setnx-expire", "  [x]  2  setnx-expire        done", "chapter 3 of 21, 1 done")
	press(m, "up", "enter")
	if at(m) != "page" || lesson(m).part() != claimPart || !m.progress.Chapters["setnx-expire"].Done {
		t.Errorf("what is done opens at %s", lesson(m).part())
	}
}

// TestReset: only y forgets.
func TestReset(t *testing.T) {
	for _, key := range []string{"y", "n", "esc", "R", "enter"} {
		m := start(t, Options{}, 80, 24)
		press(m, "c", "enter", "esc", "R")
		wantIn(t, m, "Forget all progress? y forgets it")
		_, cmd := m.Update(keyMsg(key))
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

// TestUnsaved: it is said once, and the course goes on.
func TestUnsaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder")
	for _, dir := range []string{filepath.Join(file, "lockstep"), ""} {
		m := start(t, Options{}, 80, 24)
		m.store = newStore(dir)
		_, cmd := press(m, "c"), press(m, "enter")
		m.Update(cmd())
		wantIn(t, m, "Progress cannot be saved")
		_, cmd = m.Update(keyMsg("right"))
		wantNotIn(t, m, "cannot be saved")
		deliverAll(m, cmd())
		wantNotIn(t, m, "cannot be saved")
		if view(m).run == nil {
			t.Error("the course does not go on")
		}
	}
}

// TestDamagedProgressIsSaid: in one line, once.
func TestDamagedProgressIsSaid(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, progressFile), "{")
	m := start(t, Options{State: dir}, 120, 24)
	if m.notice == "" || !strings.Contains(check(t, m), "was not readable") {
		t.Errorf("not said:\n%s", m.View())
	}
	press(m, "c")
	wantNotIn(t, m, "was not readable")
}

// TestFarewellFromTheCourse also checks that what was done is written in the
// end, and nothing beside it.
func TestFarewellFromTheCourse(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "lockstep")
	var out bytes.Buffer
	if err := Run(t.Context(), Options{State: dir, NoColor: true}, strings.NewReader("c\rq"), &out); err != nil {
		t.Fatal(err)
	}
	const want = "You have done 0 of 21 chapters and are at setnx; `lockstep` or `go run .`, then c and enter, goes on there.\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("the end of %q", out.String())
	}
	if p, _, err := newStore(dir).load(); err != nil || p.Last != "setnx" {
		t.Errorf("saved: %+v %v", p, err)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 1 {
		t.Errorf("written: %v %v", entries, err)
	}
}

// TestNothingIsWrittenOutside: who does not open the course leaves no trace.
func TestNothingIsWrittenOutside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	if err := Run(t.Context(), Options{State: dir, NoColor: true, Lock: "setnx"}, strings.NewReader("\rq"), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// TestResultsComeBack: predictions and the results of levels are there another
// day, where chapters and levels are listed.
func TestResultsComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	m := start(t, Options{State: dir}, 80, 24)
	press(m, "c", "down", "enter", "right", "G", "n") // B does get it
	saveNow(t, m)
	m = start(t, Options{State: dir}, 80, 24)
	press(m, "c")
	wantText(t, m, "(0 of 1 predicted)")
	press(m, "enter", "G", "y")
	saveNow(t, m)
	m = start(t, Options{State: dir}, 80, 24)
	press(m, "c")
	wantText(t, m, "(1 of 1 predicted)")

	m = atLevel(t, Options{State: dir, Explorer: explorer(t)}, "oversell", 80, 24)
	longWay(t, m)
	saveNow(t, m)
	m = start(t, Options{State: dir}, 80, 24)
	press(m, "b")
	wantText(t, m, "set-del, you 13")
	m = atLevel(t, Options{State: dir, Explorer: explorer(t)}, "oversell", 80, 24)
	press(m, "x")
	saveNow(t, m)
	if p, _, err := m.store.load(); err != nil || p.Levels["oversell"] != (record{Moves: 13}) || len(p.Predictions) != 1 {
		t.Errorf("kept: %+v %v", p, err)
	}
}

// TestGuessesOfNobody: a story without a name has no place where its results
// could be listed.
func TestGuessesOfNobody(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory), Nameless: true}, 80, 24)
	if press(m, "y"); len(m.progress.Predictions) != 0 {
		t.Errorf("kept: %+v", m.progress.Predictions)
	}
}

// TestFullDisk: what cannot be written ends nothing, and is said once more in
// the end.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	write(t, filepath.Join(dir, progressFile, "x"), "in the way")
	var out bytes.Buffer
	if err := Run(t.Context(), Options{State: dir, NoColor: true}, strings.NewReader("c\rq"), &out); err != nil {
		t.Fatal(err)
	}
	_, farewell, _ := strings.Cut(out.String(), "You have done")
	if want := filepath.Join(dir, progressFile) + " is no regular file"; !strings.Contains(farewell, "Progress cannot be saved") || !strings.Contains(farewell, want) {
		t.Errorf("the end is %q", farewell)
	}
}

func saveNow(t *testing.T, m *shell) {
	t.Helper()
	if err := m.store.save(); err != nil {
		t.Fatal(err)
	}
}
