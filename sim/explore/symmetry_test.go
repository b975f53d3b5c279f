package explore

import (
	"slices"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/strategies"
)

// TestSymmetryOfThree: six orders, nearly a sixth of the states.
func TestSymmetryOfThree(t *testing.T) {
	h, _ := FindHazard("overrun")
	for _, lock := range []string{"set-lua", "get-then-del", "fenced"} {
		plain, err := Check(t.Context(), h, lockOf(t, lock), Options{Jobs: 2}, "A", "B", "C")
		if err != nil {
			t.Fatal(err)
		}
		reduced, err := Check(t.Context(), h, lockOf(t, lock), Options{Jobs: 2, Symmetry: true}, "A", "B", "C")
		if err != nil {
			t.Fatal(err)
		}
		if lengths(plain) != lengths(reduced) || 6*reduced.States < plain.States || 5*reduced.States > plain.States {
			t.Errorf("%s: %d states%s with symmetry, %d%s without", lock, reduced.States, lengths(reduced), plain.States, lengths(plain))
		}
	}
}

// TestAsymmetricLock: a lock that does more for one client than for the other;
// where clients do not behave alike, symmetry is not used.
func TestAsymmetricLock(t *testing.T) {
	info, _ := strategies.Find("set-lua")
	made := 0
	s := sim.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock {
		made++
		if token := e.Token(); strings.HasPrefix(token, "B") {
			e.TTL *= 2
		}
		return info.New(e)
	}}
	h, _ := FindHazard("contention")
	r, err := Check(t.Context(), h, Lock{"selfish", s}, Options{Symmetry: true}, "A", "B")
	if err != nil || r.Symmetry || made == 0 {
		t.Errorf("symmetry %t, %v", r.Symmetry, err)
	}
	r, err = Check(t.Context(), h, lockOf(t, "set-lua"), Options{Symmetry: true}, "A", "Bob")
	if err != nil || r.Symmetry {
		t.Errorf("names of unequal length: symmetry %t, %v", r.Symmetry, err)
	}
}

func TestRename(t *testing.T) {
	p := newParts(t.Context(), mustConfig(t, "A", "B"), subjectOf(t, "set-lua"))
	defer p.close()
	s := newSymmetry(p)
	for text, want := range map[string]string{
		"A-1": "B-1", "B-12 A-1": "A-12 B-1", "BA-1": "BA-1", "A-": "A-", "A-x": "A-x",
		"$3\r\nA-1\r\n": "$3\r\nB-1\r\n", "": "", "lock:A": "lock:A",
	} {
		if got := s.rename(1, text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if all := permutations(3); len(all) != 6 || !slices.IsSortedFunc(all, slices.Compare) || !slices.Equal(all[0], []int{0, 1, 2}) {
		t.Errorf("the orders of three are %v", all)
	}
}
