package render

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// TestBeliefs draws the bands early, at the end, and after a step back from
// there; then without the room for all of them.
func TestBeliefs(t *testing.T) {
	for name, cursors := range map[string][]Cursor{
		"overrun": {{At: 4}, {At: 14}, {At: 7}}, "red": {{At: 20}, {At: 4}}, "crash": {{At: 4}}, "dog": {{At: 20}},
	} {
		t.Run(name, func(t *testing.T) {
			r := fixture(t, name)
			frames(t, func(th Theme, w int) Lines {
				var out Lines
				for _, c := range cursors {
					out = append(append(out, th.Beliefs(r, c, w, th.BeliefLines(r))...), sep("--"))
				}
				c := cursors[0]
				return append(out, th.Beliefs(r, c, w, 4)...)
			})
		})
	}
}

// TestWrongBeliefStays: of the bands that have no room, the one is left that is
// wrong, not the first one.
func TestWrongBeliefStays(t *testing.T) {
	r := fixture(t, "overrun")
	met := false
	for at := range r.Rows {
		i := slices.IndexFunc(r.Rows[at].Now.Clients, func(c lesson.Client) bool { return c.Hold == lesson.Wrongly })
		if i < 0 {
			continue
		}
		met = true
		c := Cursor{At: at}
		if got := themed(false).Beliefs(r, c, 40, 1); len(got) != 1 || !strings.Contains(got[0].Text(), "WRONG") {
			t.Errorf("row %d: %+v, want that of %s", at, got, r.History.Config.Clients[i])
		}
	}
	if !met {
		t.Error("nobody is wrong")
	}
}

func TestStrip(t *testing.T) {
	r := fixture(t, "overrun")
	frames(t, func(th Theme, w int) Lines {
		out := append(th.Strip(r, Cursor{At: 9}, w, 11), sep("-- no room for all"))
		return append(out, th.Strip(r, Cursor{At: 7}, w, 6)...)
	})
}

// TestTimeline: bands and strip stand over the same steps.
func TestTimeline(t *testing.T) {
	r := fixture(t, "overrun")
	c := Cursor{At: 9}
	frames(t, func(th Theme, w int) Lines { return th.Timeline(r, c, w, 20) })
}

// TestNothingIsGivenAway: of the rows behind the last one that was shown there
// is nothing to see, whatever is to come.
func TestNothingIsGivenAway(t *testing.T) {
	for _, name := range []string{"crash", "red", "dog", "overrun"} {
		whole := fixture(t, name)
		for seen := range whole.Rows {
			h := whole.History
			h.Events = h.Events[:whole.Rows[seen].To]
			short := lesson.NewRun(h, nil, history.Check(h))
			if len(short.Nodes) < len(whole.Nodes) {
				continue // a node that was not spoken of has no band
			}
			c := Cursor{At: seen}
			draw := func(r *lesson.Run) string {
				lines := texts(themed(false).Timeline(r, c, 90, 25))
				for i, line := range lines {
					lines[i] = strings.Join(strings.Fields(line), " ") // a longer run leaves more room
				}
				return strings.Join(lines, "\n")
			}
			if seen < len(short.Rows) && draw(short) != draw(whole) {
				t.Errorf("%s: what follows step %d shows:\n%s\nwithout it:\n%s", name, seen+1, draw(whole), draw(short))
			}
		}
	}
}
