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
func talking(t testing.TB, o Options, w, h int) (*Shell, *stopped) {
	t.Helper()
	c := &stopped{time.Unix(1000, 0)}
	o.Present, o.Clock = true, c.now
	return start(t, o, w, h), c
}

// turnTo turns on until a text is there.
func turnTo(t testing.TB, m *Shell, text string) {
	t.Helper()
	for range 200 {
		if strings.Contains(m.View(), text) {
			return
		}
		press(m, "pgdown")
	}
	t.Fatalf("no %q in 200 pages; the last is\n%s", text, m.View())
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

// TestTalkSaysNoAnswer: who hears a talk hears no word of an answer, or of anything
// else, that is not on the page.
func TestTalkSaysNoAnswer(t *testing.T) {
	m, _ := talking(t, Options{}, 80, 30)
	open := 0
	for range 150 {
		if f := m.Frame(); strings.Contains(m.View(), " [1] ") && // not as in KEYS[1]
			!strings.Contains(m.View(), "[1] step") {
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
