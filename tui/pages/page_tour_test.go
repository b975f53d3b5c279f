package pages

import (
	"strings"
	"testing"

	"lockstep/sim/history"
)

// TestTourSaysWhatIs: in whatever order the turns come, the words fit the run: who is asked
// about is at its release, "two" are inside only then, and nothing ends without a way on.
func TestTourSaysWhatIs(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "T")
	p := on[tourPage](m)
	met := map[string]int{}
	var walk func(depth int)
	walk = func(depth int) {
		id, with := p.scene()
		met[id]++
		snap := p.snapshot()
		who := map[string]int{}
		for i, c := range snap.Clients {
			who[c.Name] = i
		}
		says := check(t, m)
		for want, is := range map[string]bool{
			"tour_two":     snap.Believe == 2,
			"tour_holds":   snap.Owner == int8(who[with.Said]) && snap.Believe == 1,
			"tour_refused": snap.Owner == int8(who[with.Said]) && snap.Believe == 1,
			"tour_over":    snap.Owner < 0 && snap.Believe == 1,
			"tour_asked":   strings.Contains(says, "Whose lock"),
			"tour_foreign": p.has(history.ForeignRelease),
			"tour_alone":   snap.Believe < 2 && !p.has(history.MutualExclusion),
		} {
			if id == want && !is {
				t.Errorf("after %q it says %q:\n%s", p.turns, id, says)
			}
		}
		if depth == 0 || id == "tour_foreign" {
			return
		}
		keys := []string{"a", "b", "t"}
		if id == "tour_asked" {
			keys = []string{"1", "2"}
			if snap.Owner == int8(who[with.Said]) {
				t.Errorf("after %q a client deletes its own lock, which no text has as the answer", p.turns)
			}
		}
		ways := 0
		for _, key := range keys {
			before := len(p.turns)
			if press(m, key); len(p.turns) == before {
				continue
			}
			ways++
			walk(depth - 1)
			press(m, "left")
		}
		if ways == 0 && id != "tour_alone" && id != "tour_missed" {
			t.Errorf("after %q nothing goes on, and it says %q", p.turns, id)
		}
	}
	walk(7)
	for _, id := range []string{"start", "idle", "holds", "refused", "over", "two", "asked", "foreign", "missed", "alone"} {
		if met["tour_"+id] == 0 {
			t.Errorf("no order leads to %q: %v", id, met)
		}
	}
}

// TestTourBreaksALock: three keys, a question, and the lock that answers it.
func TestTourBreaksALock(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "T", "a", "t", "b")
	wantText(t, m, "Two are inside")
	press(m, "t", "a", "3")
	wantText(t, m, "there is a key, and it is that of B", "DEL lock:stock -> 1")
	press(m, " ")
	wantText(t, m, "✓ B keeps its lock.", "✗ Two were inside all the same.")
	press(m, "left", "left", "t", "a")
	wantText(t, m, "Whose lock")
	press(m, "3")
	wantText(t, m, "Right.", "Two were inside all the same. Take a move back")
	press(m, " ")
	if at(m) != "tour" {
		t.Error("it goes on where nothing is left to show")
	}
}
