package pages

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
)

// stopped is a clock that a test sets.
type stopped struct{ at time.Time }

func (c *stopped) now() time.Time { return c.at }

func (c *stopped) goOn(d time.Duration) { c.at = c.at.Add(d) }

// secondByStep is a clock that goes on by a second whenever somebody looks.
func secondByStep() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// talking is a talk at its first page, with a clock that stands.
func talking(t *testing.T, o Options, w, h int) (*Shell, *stopped) {
	t.Helper()
	c := &stopped{time.Unix(1000, 0)}
	o.Present, o.Clock = true, c.now
	return start(t, o, w, h), c
}

// turnTo turns on until a text is there.
func turnTo(t *testing.T, m *Shell, text string) {
	t.Helper()
	for range 200 {
		if strings.Contains(m.View(), text) {
			return
		}
		press(m, "pgdown")
	}
	t.Fatalf("no %q in 200 pages; the last is\n%s", text, m.View())
}

func TestTalkFrames(t *testing.T) {
	for _, c := range []struct {
		name  string
		lang  string
		until string // turned on so far
		keys  []string
	}{
		{"talk_course", "en", "", nil},
		{"talk_claim", "en", "part 1", nil},
		{"talk_question", "en", "? A has crashed", nil},
		{"talk_answer", "en", "Why refused", nil},
		{"talk_lit", "en", "▸ 2", nil},
		{"talk_violated", "en", "VIOLATED", nil},
		{"talk_card", "en", "VIOLATED", []string{"pgdown"}},
		{"talk_why", "en", "part 4", nil},
		{"talk_notes", "en", "? A has crashed", []string{"n"}},
		{"talk_blank", "en", "part 1", []string{"b"}},
		{"talk_help", "en", "? A has crashed", []string{"?"}},
		{"talk_compare", "en", "part 6", []string{"pgdown", "pgdown"}},
		{"talk_turn", "en", "part 7", nil},
		{"talk_chinese", "zh", "VIOLATED", []string{"pgdown"}},
		{"talk_chinese_question", "zh", "? C", nil},
		{"talk_chinese_notes", "zh", "? C", []string{"n"}},
		{"talk_chinese_compare", "zh", "第 6 节", []string{"pgdown", "pgdown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m, clock := talking(t, Options{Lang: c.lang}, w, h)
				noted(m)
				until := c.until
				if c.lang == "zh" {
					until = strings.Replace(until, "VIOLATED", "违反", 1)
				}
				turnTo(t, m, until)
				clock.goOn(4*time.Minute + 7*time.Second)
				press(m, c.keys...)
				m.Update(nil)
				return m
			})
		})
	}
}

// noted gives the first chapter minutes and notes.
func noted(m *Shell) {
	c := *m.course.Course
	c.Chapters = append([]course.Chapter{}, c.Chapters...)
	c.Chapters[0].Minutes = 15
	m.course.Course = &c
}

// TestTalkByOneKey: a remote's key alone leads from the list through every page of
// every part of every chapter, and the other one the same way back.
func TestTalkByOneKey(t *testing.T) {
	testkit.Single(t)
	for _, keys := range [][2]string{{"pgdown", "pgup"}, {"right", "left"}} {
		m, _ := talking(t, Options{}, 80, 24)
		noted(m)
		m.course.chapter.n = 3
		m.course.Chapters = m.course.Chapters[:3]
		var there []string
		parts := map[string]bool{}
		for range 1000 {
			frame := check(t, m)
			if len(there) > 0 && strings.Contains(frame, "This is the end.") {
				break
			}
			if len(there) > 0 && frame == there[len(there)-1] {
				t.Fatalf("%s leads nowhere:\n%s", keys[0], frame)
			}
			there = append(there, frame)
			if inChapter(m) {
				parts[fmt.Sprint(chapter(m).chapter.ID, chapter(m).part())] = true
			}
			press(m, keys[0])
		}
		want := 0
		for _, ch := range m.course.Chapters {
			want += len(partsOf(ch))
		}
		if len(parts) != want {
			t.Errorf("%s came to %d parts of %d", keys[0], len(parts), want)
		}
		press(m, keys[1])
		for i := len(there) - 2; i > 1; i-- { // the timer begins with the second one
			if frame := check(t, m); frame != there[i] {
				t.Fatalf("%s: page %d of %d was\n%s\nand on the way back is\n%s", keys[1], i, len(there), there[i], frame)
			}
			press(m, keys[1])
		}
		press(m, keys[1])
		wantIn(t, m, "This is the beginning.")
	}
}

// TestTalkKeepsNothing: whatever is shown, answered or tried in a talk is not the
// trainer's progress, and what was is left as it is.
func TestTalkKeepsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lockstep")
	m := start(t, Options{Progress: progress.In(dir)}, 80, 24)
	press(m, "c", "enter", "right", "G", "b")
	saveNow(t, m)
	before := reread(t, dir)
	m, _ = talking(t, Options{Progress: progress.In(dir)}, 80, 24)
	turnTo(t, m, "part 7")
	press(m, "enter", "enter", "down", "enter", "x", "o", "R", "y", "r", "y", "?", "T", "esc", "P", "P", "C", "2", "enter", "a", "pgdown")
	saveNow(t, m)
	if after := reread(t, dir); !reflect.DeepEqual(before, after) || !reflect.DeepEqual(before, m.progress) {
		t.Errorf("was %+v\nis %+v\nhere %+v", before, after, m.progress)
	}
}

// TestTalkReveal: a question stands with its choices until its answer is asked for,
// before the run or after it, and is hidden again for the next class.
func TestTalkReveal(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 24)
	press(m, "5", "enter")
	turnTo(t, m, "? Does B get the lock?")
	hidden := func() {
		t.Helper()
		wantIn(t, m, "[a] acquired", "[b] refused")
		wantNotIn(t, m, "Why refused")
	}
	shown := func() {
		t.Helper()
		wantIn(t, m, "The answer is refused.", "Why refused", "Why not acquired")
	}
	hidden()
	press(m, "a")
	shown()
	press(m, "a")
	hidden()
	press(m, "pgdown", "pgdown") // the run has decided
	wantIn(t, m, "acquire -> refused")
	hidden()
	press(m, "pgdown")
	shown()
	press(m, "a")
	hidden()
	press(m, "a", "pgup", "pgup", "pgup", "pgup")
	wantNotIn(t, m, "What does B's")
	press(m, "a")
	wantIn(t, m, "There is no question here.")
	press(m, "pgdown")
	hidden()
}

// TestTalkSaysNoAnswer: who hears a talk hears no word of an answer, or of anything
// else, that is not on the page.
func TestTalkSaysNoAnswer(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 30)
	open := 0
	for range 150 {
		if f := m.Frame(); strings.Contains(m.View(), "[a] ") {
			open++
			shown := strings.Join(strings.Fields(ansi.Strip(m.View())), " ")
			for _, word := range strings.Fields(f.Says) {
				if !strings.Contains(shown, word) {
					t.Errorf("%q is said and not shown, in %q:\n%s", word, f.Says, m.View())
				}
			}
			if q := strings.Index(f.Says, "? "); q < 0 || strings.Contains(f.Says[q:], "->") {
				t.Errorf("a question stands, and what is said is %q", f.Says)
			}
		}
		press(m, "pgdown")
	}
	if open < 5 {
		t.Errorf("%d questions stood", open)
	}
}

// TestTalkChapterAnswer: the answer to a chapter's own question is hidden until it is
// asked for, by either key, and going back hides it.
func TestTalkChapterAnswer(t *testing.T) {
	c, err := course.Named("redis-locks-in-an-hour")
	if err != nil {
		t.Fatal(err)
	}
	const answer, remember = "It does not. Nobody calls it", "The lock is a key."
	m, _ := talking(t, Options{Course: c, CourseAt: c.ID}, 80, 30)
	turnTo(t, m, "A client waits for a lock")
	turnTo(t, m, ": to keep")
	wantNotIn(t, m, answer, remember)
	press(m, "pgdown")
	wantIn(t, m, answer, remember)
	press(m, "a")
	wantNotIn(t, m, answer)
	press(m, "a", "pgup")
	wantNotIn(t, m, answer)
	press(m, "n")
	wantIn(t, m, "Notes (lines 1-", "Goal: everybody can read the screen")
	press(m, "n")
	wantIn(t, m, "Short of time")
	press(m, "n")
	wantNotIn(t, m, "Notes")
}

// TestTalkGuess: where the fault is, is not shown before the run has come to it.
func TestTalkGuess(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 24)
	turnTo(t, m, "part 3 of 8")
	press(m, "tab")
	wantNotIn(t, m, "BUG(lesson)")
	turnTo(t, m, "VIOLATED")
	wantIn(t, m, "BUG(lesson)")
	for range 5 {
		press(m, "pgup")
	}
	wantNotIn(t, m, "BUG(lesson)")
}

// TestTalkBlank: nothing is shown, and the key that brings it back does no more.
func TestTalkBlank(t *testing.T) {
	for _, k := range []string{"b", "."} {
		m, _ := talking(t, Options{}, 80, 24)
		press(m, "pgdown")
		before := m.View()
		for _, again := range []string{k, "pgdown", "esc"} {
			press(m, k)
			if frame := check(t, m); strings.TrimSpace(frame) != "" {
				t.Errorf("not blank:\n%s", frame)
			}
			press(m, again)
			if m.View() != before {
				t.Errorf("%s leads to\n%s", again, m.View())
			}
		}
	}
}

// TestTalkJump: a number and enter lead to a chapter; esc, and any other key, forget it.
func TestTalkJump(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 24)
	press(m, "1", "2")
	wantIn(t, m, "Chapter 12: enter goes there")
	press(m, "enter")
	if chapter(m).chapter.ID != m.course.Chapters[11].ID || chapter(m).at.at != 0 {
		t.Errorf("at\n%s", m.View())
	}
	here := m.View()
	press(m, "3", "esc")
	if m.View() != here {
		t.Errorf("esc leads to\n%s", m.View())
	}
	press(m, "3", "pgdown")
	wantNotIn(t, m, "Chapter 3")
	press(m, "9", "9", "enter")
	wantIn(t, m, fmt.Sprintf("There is no chapter 99; the last one is %d.", chapters(t)))
	press(m, "C")
	if at(m) != "course" || m.course.chapter.at != 11 {
		t.Errorf("C leads to\n%s", m.View())
	}
	press(m, "down", "pgdown")
	if chapter(m).chapter.ID != m.course.Chapters[12].ID {
		t.Errorf("at\n%s", m.View())
	}
}

// TestTalkNotes: they are shown when they are asked for, page by page, and then are
// gone.
func TestTalkNotes(t *testing.T) {
	m, _ := talking(t, Options{}, 60, 20)
	press(m, "pgdown")
	wantNotIn(t, m, "Notes")
	press(m, "n")
	wantIn(t, m, "Notes", "This chapter has no notes.", "Taking the lock")
	press(m, "n")
	wantNotIn(t, m, "Notes")
}

// TestTalkBeginsAnywhere: P begins a talk at any page, and ends it there.
func TestTalkBeginsAnywhere(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "c", "down", "down", "down", "down", "enter", "right", "right", "right")
	step := view(m).player.at
	press(m, "P")
	if !m.isLarge() || view(m).player.at != step {
		t.Errorf("P leads to\n%s", m.View())
	}
	press(m, "pgdown", "P")
	if m.isLarge() || view(m).player.at != step+1 {
		t.Errorf("P leads back to\n%s", m.View())
	}
	press(m, "esc", "esc", "P", "pgdown")
	wantIn(t, m, "Nothing to turn here; C opens the chapters.")
}

// TestTalkInBothLanguages: L says the page that is shown in the other language.
func TestTalkInBothLanguages(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 24)
	press(m, "5", "enter")
	turnTo(t, m, "? Does B get the lock?")
	press(m, "L")
	wantIn(t, m, "? B 加锁的结果是什么？", "[a] 拿到锁")
}
