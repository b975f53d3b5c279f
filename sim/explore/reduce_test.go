package explore

import (
	"testing"

	"lockstep/sim/testsize"
	"lockstep/strategies"
)

// broken writes which invariants are violated.
func broken(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += " " + f.Violation.Invariant
	}
	return text
}

// TestSwitches: for every lock and hazard the verdict and the lengths are the
// same with and without symmetry, with and without the partial-order reduction,
// and with and without merging. Symmetry leaves fewer states, but not fewer than one for all
// orders of the clients; the reduction leaves no more, and sometimes fewer.
func TestSwitches(t *testing.T) {
	most, fewer, smaller := 250, 0, 0
	if raced {
		most = 70
	}
	for _, info := range testsize.Some(t, strategies.Catalogue, 4, 2) {
		for _, h := range Hazards {
			h.Bounds.States, h.Bounds.Depth = most, 100
			plain, symmetric, reduced, merged := switched(t, h, lockOf(t, info.ID))
			if plain.Limit != "" {
				continue
			}
			if lengths(plain) != lengths(merged) || merged.States > plain.States {
				t.Errorf("%s, %s: %d states%s; merged %d%s", info.ID, h.ID,
					plain.States, lengths(plain), merged.States, lengths(merged))
			}
			if merged.States < plain.States {
				smaller++
			}
			if lengths(plain) != lengths(symmetric) || plain.Depth != symmetric.Depth {
				t.Errorf("%s, %s: without symmetry%s, depth %d; with it%s, depth %d", info.ID, h.ID,
					lengths(plain), plain.Depth, lengths(symmetric), symmetric.Depth)
			}
			if !symmetric.Symmetry || symmetric.States >= plain.States || 2*symmetric.States < plain.States {
				t.Errorf("%s, %s: %d states with symmetry, %d without", info.ID, h.ID, symmetric.States, plain.States)
			}
			if lengths(plain) != lengths(reduced) || reduced.Reduced != (len(reduced.Found) == 0) {
				t.Errorf("%s, %s: without reduction%s; with it%s", info.ID, h.ID, lengths(plain), lengths(reduced))
			}
			if reduced.States > plain.States {
				t.Errorf("%s, %s: %d states with the reduction, %d without", info.ID, h.ID, reduced.States, plain.States)
			} else if reduced.States < plain.States {
				fewer++
			}
		}
	}
	if !raced && (fewer == 0 || smaller == 0) {
		t.Errorf("the reduction left something out %d times, merging %d times", fewer, smaller)
	}
}

// switched explores with neither, with symmetry, with the reduction and with
// merged tries.
func switched(t *testing.T, h Hazard, lock Lock) (plain, symmetric, reduced, merged Report) {
	p := newParts(t.Context(), h.Config(lock, "A", "B"), lock.Subject)
	defer p.close()
	reports := make([]Report, 4)
	for i, o := range []Options{{}, {Symmetry: true, Jobs: 2}, {Reduce: true}, {Merge: true, Jobs: 2, pass: 100}} {
		r, err := explore(t.Context(), p, h.Bounds, o)
		if err != nil {
			t.Fatal(lock.ID, h.ID, err)
		}
		if reports[i] = r; reports[0].Limit != "" {
			break
		}
	}
	return reports[0], reports[1], reports[2], reports[3]
}
