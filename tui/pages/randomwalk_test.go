package pages

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/explore"
)

// A waypoint is where walks begin: see testdata/waypoints.txt.
type waypoint struct{ name, story, keys string }

var waypoints = func() (all []waypoint) {
	for _, row := range table("waypoints") {
		all = append(all, waypoint{row[0], ownStories[row[1]], row[2]})
	}
	return all
}()

// isAt says whether the program is at a place.
func isAt(m *Shell, name string) bool {
	switch name {
	case "help":
		return isOn[*helpPage](m)
	case "glossary":
		return isOn[*glossaryPage](m)
	case "token":
		return isOn[*tokenPage](m)
	case "card":
		return view(m).card
	case "question":
		_, question := story(m).asking()
		return question != nil
	case "cell":
		return whole(m)
	case "forget?":
		return m.question != nil
	case "tiny":
		return m.face.Width < 4
	case "talk":
		return m.isLarge()
	case "blank":
		return m.talk != nil && m.talk.blank
	case "notes":
		return m.talk != nil && m.talk.noted
	case "long game":
		return at(m) == "game" && m.game.at.depth >= 5
	case "given up":
		return at(m) == "game" && m.progress.Levels[m.game.level.ID].GaveUp
	}
	return at(m) == name
}

// TestRandomWalk goes to each place and from there presses keys and changes sizes
// at random: every frame fits, and q and esc lead out of everything. Each of
// LOCKSTEP_RUNS is another seed.
func TestRandomWalk(t *testing.T) {
	each := 30 // events
	if testkit.Raced {
		each = 15
	}
	for seed := range testkit.Size(t, 1, 1) {
		for n, p := range waypoints {
			t.Run(fmt.Sprintf("seed %d to %s by %s", seed, p.name, p.keys), func(t *testing.T) {
				w := newWalk(t, seed, n)
				w.goTo(p)
				if !isAt(w.m, p.name) {
					t.Fatalf("not at %s, but at\n%s", p.name, w.m.View())
				}
				if w.walk(each); t.Failed() {
					t.Fatalf("after %q", w.last)
				}
			})
		}
	}
}

// A walk is one program that somebody does anything with.
type walk struct {
	*testing.T
	rng   *rand.Rand
	m     *Shell
	cells []explore.Report
	last  []string // what was done last
}

// newWalk opens a program with any options for the nth place.
func newWalk(t *testing.T, seed, n int) *walk {
	w := &walk{T: t, rng: rand.New(rand.NewPCG(uint64(seed), uint64(n)))}
	o := Options{
		ASCII: w.rng.IntN(3) == 0, NoAnimation: w.rng.IntN(5) == 0, Clock: secondByStep(), Lang: []string{"en", "zh"}[w.rng.IntN(2)], Explorer: explorer(t),
	}
	if w.rng.IntN(4) > 0 || strings.HasPrefix(waypoints[n].keys, "m") {
		o.Matrix = canned(t, nil)
		w.cells = cannedCells(t, o.Matrix)
	}
	if text := waypoints[n].story; text != "" {
		o.Story = parse(t, text)
	}
	w.m = start(t, o, 80, 24)
	w.m.explain = toldCauses
	for _, c := range w.cells {
		if w.rng.IntN(2) == 0 {
			w.tell(c)
		}
	}
	return w
}

// tell tells the board of a cell of the matrix that has been computed.
func (w *walk) tell(c explore.Report) {
	w.m.Update(w.m.board.filed([]explore.Report{c}))
}

// goTo goes to a place from where the program was opened.
func (w *walk) goTo(p waypoint) {
	for _, k := range strings.Fields(p.keys) {
		if k != "part" {
			w.press(k)
			continue
		}
		w.did(k)
		endPart(w.m)
	}
	if p.name == "tiny" {
		w.m.Update(Size{Width: 3, Height: 3})
	}
}

// walk is so many events, fewer if one of them leads to something bad.
func (w *walk) walk(events int) {
	defer func() {
		if reason := recover(); reason != nil {
			w.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	for n := 0; n < events && !w.Failed(); n++ {
		w.event()
		w.look()
	}
}

// anyKey are all keys, those more often that lead further.
var anyKey = []string{
	"right", "l", "enter", "left", "h", " ", "p", "+", "-", "g", "G", "home", "end", "v", "v", "V", "tab", "s", "c", "esc",
	"up", "down", "j", "k", "?", "/", "0", "1", "2", "u", "y", "n", "y", "c", "R", "e", "n", "enter", "enter", "right", "backspace", "ctrl+z", "한", "x", "m",
	"t", "t", "b", "i", "I", "u", "n", "N", "enter", "enter", "down", "j", "right", "d", "d", "f", "3", "L", "z", "o", "r", "w", "w", "p", "T", "P", "pgdown", "pgdown", "pgdown", "pgup", ".", "C", "a",
}

func (w *walk) event() {
	switch n := w.rng.IntN(200); {
	case n < 12:
		w.resize()
	case n < 24:
		w.did("tick")
		w.m.do(story(w.m).tick(view(w.m).player.turn - w.rng.IntN(2)))
		w.m.Update(nil)
		if w.m.talk != nil {
			w.m.Update(w.m.talk.ticked(w.m.talk.timer.turn - w.rng.IntN(2)))
		}
	case n < 36 && w.cells != nil:
		w.did("cell")
		w.tell(w.cells[w.rng.IntN(len(w.cells))])
	case n < 48:
		w.mouse()
	case n < 56:
		w.leave()
		w.wander()
	default:
		w.press(anyKey[w.rng.IntN(len(anyKey))])
	}
}

// resize gives the terminal any size, and one of the usual ones as often.
func (w *walk) resize() {
	width, height := 1+w.rng.IntN(300), 1+w.rng.IntN(100)
	if w.rng.IntN(2) == 0 {
		width, height = leastWidth-2+w.rng.IntN(80), leastHeight-1+w.rng.IntN(30)
	}
	w.did(fmt.Sprintf("%dx%d", width, height))
	w.m.Update(Size{Width: width, Height: height})
}

// mouse clicks or turns the wheel anywhere, mostly in the window, and half the time
// on something that can be clicked on.
func (w *walk) mouse() {
	x, y := w.rng.IntN(w.m.face.Width+5)-2, w.rng.IntN(w.m.face.Height+5)-2
	if y >= 0 && y < len(w.m.drawn) && w.rng.IntN(2) == 0 {
		var clickable []int
		for i, s := range w.m.drawn[y] {
			if s.Press != "" {
				clickable = append(clickable, w.m.drawn[y][:i].Width())
			}
		}
		if n := len(clickable); n > 0 {
			x = clickable[w.rng.IntN(n)]
		}
	}
	if y >= 0 && y < len(w.m.drawn) && w.m.drawn[y].At(x).Press == "q" {
		return // quits
	}
	what := []any{Click{x, y}, Click{x, y}, Click{x, y}, Wheel{Up: true}, Wheel{}}[w.rng.IntN(5)]
	w.did(fmt.Sprintf("%#v", what))
	point(w.m, what)
}

func (w *walk) press(keys ...string) {
	w.did(keys...)
	press(w.m, keys...)
}

func (w *walk) did(what ...string) {
	if w.last = append(w.last, what...); len(w.last) > 60 {
		w.last = w.last[len(w.last)-60:]
	}
}

// leave presses esc until the program is where it began.
func (w *walk) leave() {
	for range 20 {
		if !works(w.m, backKey) && at(w.m) != "search" {
			break
		}
		w.press("esc")
	}
	if w.m.talk != nil && w.m.talk.blank {
		w.press("esc") // any key brings back what was shown, and does no more
	}
	if w.m.talk != nil {
		w.press("P")
	}
	if at(w.m) != "locks" || isCovered(w.m) || w.m.talk != nil {
		w.Errorf("esc does not lead out of\n%s", w.m.View())
	}
}

// wander goes from the locks to any place that is reached from there. What was done
// before, the size and the language change what the keys do; they lead somewhere.
func (w *walk) wander() {
	p := waypoints[w.rng.IntN(len(waypoints))]
	if p.story != "" || strings.Contains(p.keys, "part") {
		p.keys = "c enter"
	}
	w.goTo(p)
}

// look checks the frame, that nothing is going on that nobody asked for, and
// sometimes that q quits: it also ends what is only there until the next key.
func (w *walk) look() {
	m := w.m
	frame := check(w.T, m)
	if r, found := ambiguous(frame); found {
		w.Errorf("%q is of ambiguous width:\n%s", r, frame)
	}
	for _, k := range m.keys() {
		if k.text(m.Book) == "" || k.why != "" && m.Text(k.why) == "" || k.do == nil && !k.off && at(m) != "search" {
			w.Errorf("%s: the key %s has no words, or does nothing", at(m), k.shown)
		}
	}
	leadingKey(w.T, m)
	if cmd := m.Update(nil); cmd != nil {
		w.Errorf("something asks for a repaint:\n%s", frame)
	}
	if w.rng.IntN(3) > 0 || at(m) == "search" || at(m) == "tour" {
		return
	}
	if cmd := m.Update(keyMsg("q")); !isQuit(cmd) {
		w.Errorf("q does not quit:\n%s", frame)
	}
}
