package pages

import (
	"slices"
	"strings"
	"testing"
)

// TestCompareSteps: both runs go command by command, and a run that comes too
// late is dropped.
func TestCompareSteps(t *testing.T) {
	m := start(t, Options{}, 120, 40)
	press(m, "c", "down", "down", "down", "down", "enter")
	for chapter(m).part() != fixPart {
		endPart(m)
	}
	cmd := m.Update(keyMsg("right"))
	wantIn(t, m, "running the story")
	m.Update(keyMsg("left"))
	deliverAll(m, cmd())
	if at(m) != "page" || compare(m).step.n != 0 {
		t.Fatalf("a late comparison was taken:\n%s", m.View())
	}
	press(m, "right")
	wantIn(t, m, "action 1 of 7", "against setnx and set-lua", "no violation so far")
	press(m, "right", "right", "left")
	wantIn(t, m, "action 2 of 7", "Action: run A until=in-critical")
	press(m, "G")
	wantIn(t, m, "✗ VIOLATED lock-recovers, sold 0 of 1", "no violation, sold 1 of 1", "This key has a TTL")
	press(m, "g", "left")
	if chapter(m).part() != fixPart {
		t.Error("left at the start does not lead back")
	}
}

// TestStoriesOfTheCourseStayThere: the other screens do not know them.
func TestStoriesOfTheCourseStayThere(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	before := len(m.ofLock("setnx"))
	press(m, "c", "enter", "right", "esc", "esc", "enter")
	if at(m) != "stories" || len(m.ofLock("setnx")) != 2 {
		t.Errorf("%d stories of setnx, %d before:\n%s", len(m.ofLock("setnx")), before, m.View())
	}
}

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
