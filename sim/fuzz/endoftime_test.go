package fuzz

import (
	"errors"
	"testing"

	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestTimeEnds: a run that would exceed the end of time never passes.
func TestTimeEnds(t *testing.T) {
	l := lockOf(t, "set-del")
	for name, set := range map[string]func(*history.Config, *explore.Bounds){
		"the lease": func(c *history.Config, _ *explore.Bounds) { c.TTL = history.MaxTime },
		"the leap":  func(_ *history.Config, b *explore.Bounds) { b.Leap = 1 << 62 },
		"the clock": func(_ *history.Config, b *explore.Bounds) {
			b.Budget, b.Faults = 2, []history.Action{{Verb: history.Jump, By: history.MaxTime}}
		},
	} {
		h, _ := explore.FindHazard("overrun")
		c := h.Config(l, "A", "B")
		set(&c, &h.Bounds)
		if r, err := explore.Explore(t.Context(), c, l.Subject, h.Bounds, explore.Options{}); !errors.Is(err, sim.ErrEndOfTime) {
			t.Errorf("%s, explored: limit %q, %v", name, r.Limit, err)
		}
		r, err := Hunt(t.Context(), c, l.Subject, h.Bounds, Options{BugDepth: 3, Runs: 20, Seed: 1})
		if v, _ := r.Verdict(); err != nil || v == explore.Holds {
			t.Errorf("%s, hunted: %s, %v", name, v, err)
		}
	}
}
