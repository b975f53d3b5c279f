package tui

import (
	"strings"
	"testing"

	"lockstep/sim/testsize"
)

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
				if view(m).failed != nil || !inChapter(m) {
					t.Fatalf("%s, part %d: %v\n%s", ch.Lock, chapter(m).at.at+1, view(m).failed, m.View())
				}
				check(t, m)
				before := chapter(m).at.at
				endPart(m)
				if at(m) != "course" && chapter(m).at.at == before {
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
			here := chapter(m).part()
			begins := m.View()
			for !atEnd(m) {
				forward(m)
			}
			view(m).card = false
			ends := m.View()
			want := map[part]string{breakPart: "This lock is meant to fail here.", workPart: "This run is meant to go well."}[here]
			if !strings.Contains(begins, want) || here == breakPart && !strings.Contains(ends, "It ended as intended") {
				t.Errorf("%s, %s:\n%s\n%s", chapter(m).chapter.Lock, here, begins, ends)
			}
			press(m, "right")
		}
	}
}

// TestForkNamesItsPart: a part of a chapter that is taken over is still named.
func TestForkNamesItsPart(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "c", "enter", "right", "t")
	wantIn(t, m, "You pick: part 2 of 6: watch it work")
	press(m, "esc")
	wantIn(t, m, "part 2 of 6: watch it work")
	if !inChapter(m) {
		t.Errorf("esc leads to\n%s", m.View())
	}
}

// TestTokenOfAPart covers the chapter: who quits there is still in the course.
func TestTokenOfAPart(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "c", "enter", "right", "y")
	wantIn(t, m, "part 2 of 6", "ls1.")
	if got := m.place(); got != m.coursePlace() {
		t.Errorf("the last line is %q", m.book.Fill("goodbye", got))
	}
}
