package fuzz

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestPartsAreTheWhole: a hunt that is cut at random places has the report of the
// whole, also where all parts follow the runs that measure.
func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, g := range []ground{large, {"watchdog-lua", "crash", 2, 1}} {
		h, _ := explore.FindHazard(g.hazard)
		subject, config := simtest.Subject(t, g.lock), g.config(t, h)
		o := Options{BugDepth: 3, Seed: 1, Runs: 60, Jobs: 2, measuring: 16}
		whole := g.hunt(t, t.Context(), o)
		for range testkit.Size(t, 3, 3) {
			cuts := []int{0, 20, o.Runs, rng.IntN(o.Runs), rng.IntN(o.Runs), rng.IntN(o.Runs)}
			slices.Sort(cuts)
			var parts []explore.Report
			for i := range cuts[1:] {
				p := testkit.Must(Part(t.Context(), config, subject, h.Bounds, o, cuts[i], cuts[i+1]))(t)
				if p.Hunt.Runs != cuts[i+1]-cuts[i] {
					t.Errorf("%d runs from %d to %d", p.Hunt.Runs, cuts[i], cuts[i+1])
				}
				parts = append(parts, p)
			}
			merged := testkit.Must(Merge(t.Context(), subject, o, parts))(t)
			merged.Found = slices.Clip(merged.Found)
			if !reflect.DeepEqual(merged, whole) {
				t.Errorf("%v, cut at %v:\n%+v\nnot\n%+v", g, cuts, merged, whole)
			}
		}
	}
	if _, err := Part(t.Context(), large.config(t, explore.Hazards()[0]), simtest.Subject(t, "setnx"), explore.Bounds{}, Options{BugDepth: 3, Runs: 5}, 3, 6); err == nil {
		t.Error("runs beyond the last are played")
	}
	if _, err := Merge(t.Context(), simtest.Subject(t, "setnx"), Options{}, nil); err == nil {
		t.Error("nothing is merged")
	}
}

// TestHits: what a hunt has found it found in as many runs as have it when each is played
// alone, and in the first of these first.
func TestHits(t *testing.T) {
	g, o := ground{"set-del", "overrun", 2, 1}, Options{BugDepth: 3, Seed: 1, Runs: 24, Jobs: 2, measuring: 4}
	h, _ := explore.FindHazard(g.hazard)
	want := map[string]explore.Hit{}
	for n := range o.Runs {
		alone := testkit.Must(Part(t.Context(), g.config(t, h), simtest.Subject(t, g.lock), h.Bounds, o, n, n+1))(t)
		for _, f := range alone.Found {
			hit, known := want[f.Violation.Invariant]
			if !known {
				hit.First = n
			}
			hit.Runs++
			want[f.Violation.Invariant] = hit
		}
	}
	got := map[string]explore.Hit{}
	for _, f := range g.hunt(t, t.Context(), o).Found {
		got[f.Violation.Invariant] = f.Hit
	}
	if !maps.Equal(got, want) || want[history.PhantomHold].Runs < 2 {
		t.Errorf("%+v, not %+v", got, want)
	}
}

// TestMergeStops: what follows the part in which code got stuck does not count,
// because the hunt would have ended there.
func TestMergeStops(t *testing.T) {
	stuck := explore.Report{Limit: explore.RealTime, Hunt: &explore.Hunted{Runs: 3, Fewest: 4}}
	more := explore.Report{Limit: "runs", Hunt: &explore.Hunted{Runs: 5, Fewest: 2}}
	r, err := Merge(t.Context(), simtest.Subject(t, "setnx"), Options{}, []explore.Report{stuck, more})
	if err != nil || r.Hunt.Runs != 3 || r.Hunt.Fewest != 4 || r.Limit != explore.RealTime {
		t.Errorf("%+v, %v", r, err)
	}
}
