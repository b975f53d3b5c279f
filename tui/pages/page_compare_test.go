package pages

import (
	"slices"
	"strings"
	"testing"
)

// TestSpaceStopsWhereRunsDiverge, at each step of which the story says something, and at
// the end.
func TestSpaceStopsWhereRunsDiverge(t *testing.T) {
	m := start(t, Options{}, 100, 30)
	press(m, "c", "enter")
	for range 5 {
		endPart(m)
	}
	p := on[comparePage](m)
	if p.parts <= 0 {
		t.Fatalf("the runs do not diverge:\n%s", m.View())
	}
	if p.step.at != p.parts-2 {
		t.Errorf("they diverge at %d, and it begins at %d", p.parts, p.step.at)
	}
	press(m, "g")
	var stops []int
	for !p.atEnd() {
		press(m, " ")
		stops = append(stops, p.step.at)
	}
	for at := 1; at < p.step.n; at++ {
		if stop := at == p.parts || at == p.step.n-1 || p.sides[0].told[at]; stop && !slices.Contains(stops, at) {
			t.Errorf("they diverge at %d of %d, and space passes %d: it stops at %d", p.parts, p.step.n, at, stops)
		}
	}
}

// TestTheRefusedWriteIsMarked: where one lock has a write accepted and the other has it
// refused, these two rows are marked, and not what follows.
func TestTheRefusedWriteIsMarked(t *testing.T) {
	m := start(t, Options{}, 100, 40)
	press(m, "c", "down", "down", "enter")
	for range 5 {
		endPart(m)
	}
	p := on[comparePage](m)
	for i, want := range []string{"writes stock = 0", "the resource refuses stock = 0"} {
		if text := p.sides[i].run.Rows[partRow(p.sides, i, p.parts)].Text.String(); !strings.Contains(text, want) {
			t.Errorf("side %d is marked at %q, not at %q", i, text, want)
		}
	}
}
