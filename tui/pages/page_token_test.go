package pages

import (
	"errors"
	"strings"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestCopy: y copies the token of what is shown, and shows it, whole, at any
// size; and nothing says that it was copied.
func TestCopy(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(t *testing.T, w, h int) *Shell
		want string // the schedule
	}{
		{"a story", func(t *testing.T, w, h int) *Shell { return start(t, Options{Story: parse(t, crashStory)}, w, h) }, "A*2 A.crash +86400000 B*2"},
		{"a game", func(t *testing.T, w, h int) *Shell {
			m := start(t, Options{Story: parse(t, crashStory), At: 2}, w, h)
			press(m, "t", "g", "enter")
			return m
		}, "A"},
		{"a cell", func(t *testing.T, w, h int) *Shell {
			m := opened(t, Options{}, w, h)
			press(m, "right")
			return m
		}, "A*2 A.crash"},
		{"a counterexample", func(t *testing.T, w, h int) *Shell {
			m := opened(t, Options{}, w, h)
			press(m, "right", "enter")
			return m
		}, "A*2 A.crash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range []int{40, 80} {
				m := c.open(t, w, 24)
				before, asked := m.View(), ""
				m.clipboard = func(text string) error { asked = text; return nil }
				if cmd := press(m, "y"); cmd == nil {
					t.Fatalf("y does nothing:\n%s", m.View())
				} else {
					m.Update(cmd())
				}
				_, schedule, err := history.ParseToken(asked)
				if err != nil || schedule.String() != c.want {
					t.Errorf("copied: %q, which is %v %v", asked, schedule, err)
				}
				frame := check(t, m)
				if !strings.Contains(strings.ReplaceAll(frame, "\n", ""), asked) || !strings.Contains(frame, "Asked the terminal") {
					t.Errorf("shown:\n%s", frame)
				}
				said := m.Fill("goodbye", m.place())
				byName := strings.Contains(said, "lockstep run a_story_of_the_test")
				if byToken := strings.Contains(said, "lockstep replay --walk "+asked); at(m) != "matrix" && byToken == byName {
					t.Errorf("the last line is %q", said)
				}
				press(m, "esc")
				if after := m.View(); after != before {
					t.Errorf("esc leads from\n%s\nto\n%s", before, after)
				}
			}
		})
	}
}

// TestCopyFails: what could not be asked for is not said to be.
func TestCopyFails(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	m.clipboard = func(string) error { return errors.New("it is gone") }
	m.Update(press(m, "y")())
	if frame := check(t, m); !strings.Contains(frame, "it is gone") || strings.Contains(frame, "Asked") || !strings.Contains(frame, "ls1.") {
		t.Errorf("shown:\n%s", frame)
	}
}

// TestLessonToken: the same key again shows the story's own token, which opens as a
// story at the same step, in its language.
func TestLessonToken(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3, Nameless: true}, 80, 24)
	press(m, "y")
	wantIn(t, m, "ls1.", "Press y again for a token of the story itself")
	press(m, "y")
	wantIn(t, m, "lst1.", "It holds the story with its captions and questions")
	top, _ := m.page().(*tokenPage)
	if top == nil {
		t.Fatal(m.View())
	}
	l, err := scenarios.ParseLesson(top.token)
	if err != nil || l.At != 3 || l.Lang != "en" {
		t.Fatalf("%+v %v", l, err)
	}
	press(m, "esc")
	before := m.View()
	if m := start(t, Options{Story: l.Story, At: l.At, Nameless: true}, 80, 24); m.View() != before {
		t.Errorf("it opens as\n%s\nand was\n%s", m.View(), before)
	}
	if said := m.Goodbye(); !strings.Contains(said, "lst1.") {
		t.Errorf("it is left with %s", said)
	}
}

// TestLessonOfAnotherLock: a chapter's story that is played with another lock than its
// own has a lesson about that lock, which plays the same run; if there is no such
// lesson, the lock gives no occasion for some command of the story.
func TestLessonOfAnotherLock(t *testing.T) {
	c := course.Usual()
	lessons := 0
	for _, chapter := range c.Chapters {
		for _, of := range []struct {
			story *scenarios.Story
			lock  string
		}{{chapter.Works, chapter.Lock}, {chapter.Breaks, chapter.Lock}, {chapter.Breaks, chapter.Fix}} {
			story, lock := of.story, of.lock
			if story == nil || lock == "" || story.Strategy() == lock {
				continue
			}
			m := start(t, Options{}, 80, 24)
			p := newLockStory(m.shared, story, lock, "", func() string { return story.Title(m.Book) })
			drain(m, m.do(push(p)))
			want := testkit.Must(scenarios.RunAgainst(t.Context(), story, lock))(t)
			l := p.lesson()
			if l == nil {
				if missed, _ := want.Missed(); len(missed) == 0 {
					t.Errorf("%s with %s has no lesson", story.Name, lock)
				}
				continue
			}
			lessons++
			read, err := scenarios.ParseLesson(l.Token())
			if err != nil || read.Story.Strategy() != lock {
				t.Fatalf("%s with %s: %+v, %v", story.Name, chapter.Lock, read, err)
			}
			got, err := scenarios.Run(t.Context(), read.Story)
			if err != nil || runToken(got) != runToken(want) || len(got.Violations) != len(want.Violations) {
				t.Errorf("%s with %s plays another run: %v", story.Name, chapter.Lock, err)
			}
		}
	}
	if lessons < 5 {
		t.Errorf("%d lessons", lessons)
	}
}
