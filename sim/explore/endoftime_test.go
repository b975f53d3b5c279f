package explore

import (
	"errors"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
)

// TestTimeEnds: what would pass the end of time is never called a pass.
func TestTimeEnds(t *testing.T) {
	l := lockOf(t, "set-del")
	for name, set := range map[string]func(*history.Config, *Bounds){
		"the lease": func(c *history.Config, _ *Bounds) { c.TTL = history.MaxTime },
		"the leap":  func(_ *history.Config, b *Bounds) { b.Leap = 1 << 62 },
		"the clock": func(_ *history.Config, b *Bounds) {
			b.Budget, b.Faults = 2, []history.Action{{Verb: history.Jump, By: history.MaxTime}}
		},
	} {
		h, _ := FindHazard("overrun")
		c := h.Config(l, "A", "B")
		set(&c, &h.Bounds)
		if r, err := Explore(t.Context(), c, l.Subject, h.Bounds, Options{}); !errors.Is(err, sim.ErrEndOfTime) {
			t.Errorf("%s, explored: limit %q, %v", name, r.Limit, err)
		}
		r, err := Hunt(t.Context(), c, l.Subject, h.Bounds, HuntOptions{Pick: Walk, Runs: 20, Seed: 1})
		if v, _ := r.Verdict(); err != nil || v == Holds {
			t.Errorf("%s, hunted: %s, %v", name, v, err)
		}
	}
}
