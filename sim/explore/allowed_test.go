package explore

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/world"
)

// TestRefuses: a schedule within the bounds is not refused, and the first action beyond
// narrower ones is.
func TestRefuses(t *testing.T) {
	l := lockOf(t, "set-lua")
	h, _ := FindHazard("overrun")
	config := h.Config(l, "A", "B")
	playing := func(do func(*world.World)) {
		w := testkit.Must(world.New(config, l.Subject))(t)
		defer w.Close()
		do(w)
	}
	var s history.Schedule
	var spent Spending
	playing(func(w *world.World) { // time passes as soon as it may
		for allowed := h.Bounds.Allowed(w, spent); len(allowed) > 0; allowed = h.Bounds.Allowed(w, spent) {
			a := allowed[0]
			for _, other := range allowed {
				if other.Verb.IsTime() {
					a = other
				}
			}
			testkit.OK(t, w.Perform(a))
			spent.Add(h.Bounds, a)
			s = append(s, a)
		}
	})
	lastTime := -1
	for i, a := range s {
		if a.Verb.IsTime() {
			lastTime = i
		}
	}
	if spent.Ticks < 2 {
		t.Fatalf("%s: too little time passes", s)
	}
	for _, tt := range []struct {
		name string
		but  func(*Bounds)
		at   int // the action that is refused
	}{
		{"the same", func(*Bounds) {}, len(s)},
		{"less time", func(b *Bounds) { b.Ticks = spent.Ticks - 1 }, lastTime},
		{"fewer actions", func(b *Bounds) { b.Depth = len(s) - 1 }, len(s) - 1},
		{"any number of actions", func(b *Bounds) { b.Depth = 0 }, len(s)},
	} {
		r := Report{Bounds: h.Bounds}
		tt.but(&r.Bounds)
		playing(func(w *world.World) {
			refuses, at := r.Refuses(s), 0
			for ; at < len(s) && refuses(w, at) == nil; at++ {
				testkit.OK(t, w.Perform(s[at]))
			}
			if at != tt.at {
				t.Errorf("%s: %d actions are allowed, want %d of %s", tt.name, at, tt.at, s)
			}
		})
	}
	if (&Report{Spins: []model.Spin{{}}}).Refuses(s) != nil {
		t.Error("where code spins, something is refused")
	}
}
