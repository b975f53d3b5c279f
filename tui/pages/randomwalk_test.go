package pages

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"lockstep/sim/testsize"
)

// TestRandomWalk presses keys and changes sizes at random: every frame fits,
// and q and esc lead out of everything.
func TestRandomWalk(t *testing.T) {
	const each = 500 // events of a walk
	events := testsize.Of(t, 3000, 1000)
	met, picked := map[string]bool{}, 0
	for n := range events / each {
		w := newWalk(t, n)
		w.walk(each)
		if t.Failed() {
			t.Fatalf("walk %d, after %v", n, w.last)
		}
		maps.Copy(met, w.met)
		picked = max(picked, w.picked)
	}
	if testsize.Raced {
		return // fewer walks need not come everywhere
	}
	for _, state := range []string{
		"locks", "stories", "lock", "player", "matrix", "levels", "game", "course", "page", "compare", "if only", "tour", "search", "against",
		"help", "glossary", "token", "card", "question", "cell", "forget?", "tiny", "talk", "blank", "notes"} {
		if !met[state] {
			t.Errorf("%s was never met", state)
		}
	}
	if picked < 5 {
		t.Errorf("no game was longer than %d moves", picked)
	}
}

// A walk is one program that somebody does anything with.
type walk struct {
	*testing.T
	rng    *rand.Rand
	m      *Shell
	cells  []Cell
	met    map[string]bool
	picked int      // moves of the longest game
	last   []string // what was done last
}

// newWalk begins anywhere, as a program with any options.
func newWalk(t *testing.T, n int) *walk {
	w := &walk{T: t, rng: rand.New(rand.NewPCG(4, uint64(n))), met: map[string]bool{}}
	o := Options{ASCII: n%3 == 0, NoAnimation: n%5 == 0, Present: n%6 == 5, Clock: secondByStep(), Lang: []string{"en", "zh"}[n/2%2], Explorer: explorer(t)}
	if n%4 > 0 {
		o.Matrix = canned(t, nil)
		w.cells = cannedCells(t, o.Matrix)
	}
	if n%2 == 0 {
		o.Story = parse(t, []string{crashStory, overrunStory}[n/2%2])
	}
	w.m = start(t, o, 80, 24)
	w.m.explain = toldCauses
	w.m.theme.Clicks = n%4 != 1
	return w
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
	"up", "down", "j", "k", "?", "/", "0", "1", "2", "y", "n", "y", "c", "R", "e", "n", "enter", "enter", "right", "backspace", "ctrl+z", "界", "x", "m",
	"t", "t", "b", "i", "u", "n", "N", "enter", "enter", "down", "j", "right", "d", "d", "f", "3", "L", "z", "o", "r", "w", "w", "p", "T", "P", "pgdown", "pgdown", "pgdown", "pgup", ".", "C", "a",
}

func (w *walk) event() {
	switch n := w.rng.IntN(200); {
	case n < 12:
		w.resize()
	case n < 24:
		w.did("tick")
		w.m.Update(answerOf(w.m, playTick{view(w.m).player.turn - w.rng.IntN(2)}))
		if w.m.talk != nil {
			w.m.Update(ticked{w.m.talk, w.m.talk.timer.turn - w.rng.IntN(2)})
		}
	case n < 36 && w.cells != nil:
		w.did("cell")
		w.m.Update(answer{to: w.m.board, value: cellDone{w.cells[w.rng.IntN(len(w.cells))]}})
	case n < 48:
		w.mouse()
	case n < 56:
		w.leave()
		w.enter(w.rng.IntN(15))
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
	if y >= 0 && y < len(w.m.zones) && len(w.m.zones[y]) > 0 && w.rng.IntN(2) == 0 {
		z := w.m.zones[y][w.rng.IntN(len(w.m.zones[y]))]
		if x = z.From; z.Key == "q" {
			return // quits
		}
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
	if w.m.talk != nil {
		w.press("P")
	}
	if at(w.m) != "locks" || isCovered(w.m) || w.m.talk != nil {
		w.Errorf("esc does not lead out of\n%s", w.m.View())
	}
}

// enter goes from the locks to where chance would seldom lead.
func (w *walk) enter(where int) {
	switch where {
	case 0:
		w.press("enter", "g", "enter") // a lock's card
	case 1:
		w.press("m", "down", "c")
	case 8:
		w.press("b")
	case 9:
		w.press(strings.Fields("b enter enter enter enter enter enter enter")...)
	case 2:
		w.press("b", "enter", "x")
	case 3:
		w.press("c", "R")
	case 4:
		w.press("enter", "end", "enter", "right", "t")
	case 5:
		w.press("c", "enter")
	case 6:
		w.press("enter", "end", "enter", "d", "enter", "right")
	case 7:
		w.press("/", "s")
	case 14:
		w.press("P", "C", "1", "enter", "n")
		for range w.rng.IntN(40) {
			w.press("pgdown")
		}
	case 12:
		w.press("?", "T", "right")
	case 10:
		w.press("b", "down")
	case 13:
		w.press("enter", "end", "enter", "d")
	case 11:
		w.press("enter", "end", "enter", "f", "0", "f", "0", "f", "w")
	default:
		w.press("c", "enter")
		for range 6 {
			if inChapter(w.m) && at(w.m) != "compare" && view(w.m).failed == nil {
				w.did("part")
				endPart(w.m)
			}
		}
	}
}

// look checks the frame, that nothing is going on that nobody asked for, and
// sometimes that q quits: it also ends what is only there until the next key.
func (w *walk) look() {
	m := w.m
	w.note()
	frame := check(w.T, m)
	if r, found := ambiguous(frame); found {
		w.Errorf("%q is of ambiguous width:\n%s", r, frame)
	}
	for _, k := range m.keys() {
		if k.text(m.book) == "" || k.why != "" && m.book.Text(k.why) == "" || k.do == nil && at(m) != "search" {
			w.Errorf("%s: the key %s has no words, or does nothing", at(m), k.shown)
		}
	}
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

// note remembers what the walk has come to.
func (w *walk) note() {
	m := w.m
	w.met[at(m)] = true
	_, question := story(m).asking()
	for state, here := range map[string]bool{
		"help": isOn[*helpPage](m), "glossary": isOn[*glossaryPage](m), "token": isOn[*tokenPage](m), "card": view(m).card, "question": question != nil,
		"cell": whole(m), "forget?": m.question != nil, "tiny": m.face.Width < 4 || m.face.Height < 4,
		"talk": m.isLarge(), "blank": m.talk != nil && m.talk.blank, "notes": m.talk != nil && m.talk.noted,
	} {
		if here {
			w.met[state] = true
		}
	}
	if at(m) == "game" && m.game.at != nil {
		w.picked = max(w.picked, m.game.at.depth)
	}
}
