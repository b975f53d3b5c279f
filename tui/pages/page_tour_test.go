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
			"tour_broken":  snap.Believe < 2 && p.has(history.MutualExclusion),
			"tour_alone":   snap.Believe < 2 && !p.has(history.MutualExclusion),
		} {
			if id == want && !is {
				t.Errorf("after %q it says %q:\n%s", p.turns, id, says)
			}
		}
		if k, ok := find(m.keys(), " "); !ok || k.off && k.why == "" || k.off == (id == "tour_broken" || id == "tour_alone") {
			t.Errorf("after %q, at %q, space leads on where it should not, or does not, or is silent: %+v", p.turns, id, k)
		}
		if depth == 0 {
			return
		}
		keys := []string{"a", "b", "t"}
		if id == "tour_asked" {
			keys = []string{"1", "2"}
			if k := leadingKey(t, m); !k.Off {
				t.Errorf("after %q it asks, and %+v leads on", p.turns, k)
			}
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
		if ways == 0 && id != "tour_alone" && id != "tour_broken" {
			t.Errorf("after %q nothing goes on, and it says %q", p.turns, id)
		}
	}
	walk(7)
	for _, id := range []string{"start", "holds", "refused", "over", "two", "asked", "broken", "alone"} {
		if met["tour_"+id] == 0 {
			t.Errorf("no order leads to %q: %v", id, met)
		}
	}
}

// TestTourBreaksALock: three keys, a question, and the lock that answers it, whose scripts are
// known as in the stories; or first the second sale.
func TestTourBreaksALock(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "T", "a", "t", "b")
	wantText(t, m, "Two are inside")
	press(m, "t", "a", "3")
	wantText(t, m, "there is a key, and it is that of B", "DEL lock:stock -> 1", "sold 1 of 1")
	press(m, " ")
	wantText(t, m, "✓ B keeps its lock.", "✗ Two were still inside.")
	if strings.Contains(m.View(), "NOSCRIPT") {
		t.Errorf("the node does not know the script:\n%s", m.View())
	}
	press(m, "left")
	wantText(t, m, "Whose lock")
	press(m, "2", "t", "b")
	wantText(t, m, "Whose lock", "sold 2 of 1")
	press(m, "3")
	wantText(t, m, "Right. There was no key any more", "sold twice")
	press(m, " ")
	wantText(t, m, "✓ B keeps its lock.")
	press(m, "left", "left", "left", "left", "left", "t", "a", "2")
	wantText(t, m, "Not the lock of B: B has none now.", "will sell it again")
	press(m, " ")
	wantText(t, m, "✗ Two were still inside.")
	if strings.Contains(m.View(), "keeps its lock") {
		t.Errorf("it says what becomes of a lock that nobody deleted:\n%s", m.View())
	}
}

// TestTourBeginsAnew: where nothing can break any more, one key begins again.
func TestTourBeginsAnew(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "T", " ")
	wantText(t, m, "First you decide")
	press(m, "a", "t", "t", "a", "3")
	wantText(t, m, "Begin anew")
	press(m, "enter")
	if p := on[tourPage](m); len(p.turns) > 0 {
		t.Errorf("it is still after %q", p.turns)
	}
}

// TestTourInATalk: the letters of the page are not those of the talk, and a remote's key goes on
// to the lock that answers.
func TestTourInATalk(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "T", "P", "a", "t", "b")
	wantText(t, m, "Two are inside")
	press(m, ".")
	if !m.talk.blank {
		t.Error("the other key does not blank")
	}
	press(m, ".")
	for range 4 {
		press(m, "pgdown")
	}
	wantText(t, m, "✓ B keeps its lock.")
}
