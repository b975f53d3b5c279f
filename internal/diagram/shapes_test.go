package diagram

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// shapes write down the shapes of a kind that a diagram has, for testdata/shapes.txt. A
// message is from one lane to another.
var shapes = map[string]func(d *Diagram, tells func(a ...any)){
	"lost": func(d *Diagram, tells func(a ...any)) { // or barred, or under way to the end
		for _, a := range d.Arrows {
			if a.Fate != Arrived {
				tells(d.between(a))
			}
		}
	},
	"pushed": func(d *Diagram, tells func(a ...any)) {
		sent := map[int]bool{}
		for _, e := range d.Run.History.Events {
			if e.Kind == history.Push {
				sent[d.Run.RowOf(e.Seq)] = true
			}
		}
		for _, a := range d.Arrows {
			if a.Reply && sent[a.From] {
				tells(d.between(a))
			}
		}
	},
	"signs": func(d *Diagram, tells func(a ...any)) {
		for _, s := range d.Signs {
			tells(s.Trouble, s.Word)
		}
	},
	"inside": func(d *Diagram, tells func(a ...any)) {
		for _, c := range d.Crowds {
			tells(c.Lanes)
		}
	},
	"again": func(d *Diagram, tells func(a ...any)) { // at which steps, from 1
		for _, b := range d.Bars {
			if b.Kind == Again && b.Depth == 2 {
				tells(step(b.From))
			}
		}
	},
	"forever": func(d *Diagram, tells func(a ...any)) { // leases without an end
		for _, b := range d.Bars {
			if b.Kind == Lease && b.Forever() {
				tells(d.Run.Lanes[b.Lane].Name)
			}
		}
	},
	"fences": func(d *Diagram, tells func(a ...any)) {
		for _, c := range d.Touches {
			tells(c.Access, c.Fence)
		}
	},
	"stuck": func(d *Diagram, tells func(a ...any)) { // and how many are before that is known
		for _, s := range d.Stucks {
			tells(d.Run.Lanes[s.Lane].Name, len(d.Until(s.Row-1).Stucks))
		}
	},
}

// between is a message by its client, its lanes and its fate.
func (d *Diagram) between(a Arrow) string {
	return fmt.Sprint(a.Client, ":", d.Run.Lanes[a.Start].Name, "-", d.Run.Lanes[a.Goal].Name, ":", a.Fate)
}

// TestShapes: the diagrams of stories have the shapes in testdata/shapes.txt, which says of
// each kind what it is about.
func TestShapes(t *testing.T) {
	for _, row := range testkit.Rows(t, "testdata/shapes.txt", 3) {
		kind, story, want := row[0], row[1], row[2]
		var got []string
		shapes[kind](Of(find(t, story)), func(a ...any) { got = append(got, strings.TrimSpace(fmt.Sprintln(a...))) })
		if told := strings.Join(got, ", "); told != want {
			t.Errorf("%s of %s: %s, want %s", kind, story, told, want)
		}
	}
}
