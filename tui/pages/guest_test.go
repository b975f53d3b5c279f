package pages

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A guestLock is not of the catalogue.
type guestLock struct{ strategies.Env }

func (l guestLock) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := l.Redis.SetNX(ctx, l.Key, "x", 0).Result() // the line of the guest
	if err == nil && !ok {
		err = strategies.ErrNotAcquired
	}
	return strategies.Grant{}, err
}

func (l guestLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	return l.Redis.Del(ctx, l.Key).Err()
}

// guest is a walkthrough that begins at what was found of a lock that is not of
// the catalogue.
func guest(t testing.TB, w, h int) *Shell {
	t.Helper()
	scenarios.Register("guest", program.Subject{New: func(e strategies.Env) strategies.Lock { return guestLock{e} }, Nodes: 1})
	bounds := explore.Bounds{Budget: 1, Faults: []history.Action{{Verb: history.Crash}}}
	broken := found(t, "guest", "A*2 A.crash", history.LockRecovers)
	allowed := slices.Clone(broken)
	allowed[0].Allowed = "nobody ever crashes"
	cells := []explore.Report{
		{Hazard: "contention", Config: configOf(t, "guest"), Counts: everything(), States: 58},
		{Hazard: "crash", States: 106, Config: configOf(t, "guest"), Bounds: bounds, Found: broken},
		{Hazard: "overrun", States: 90, Config: configOf(t, "guest"), Bounds: bounds, Found: allowed},
	}
	return start(t, Options{
		Matrix: &Matrix{Locks: []string{"guest"}, Hazards: []string{"contention", "crash", "overrun"}, Known: cells},
		Cell:   &cells[1],
		Source: func(file string) (string, error) {
			text, err := os.ReadFile(filepath.Base(file))
			return string(text), err
		},
	}, w, h)
}

// TestGuest: what was found of such a lock is opened as a story, with its own
// source; below it are its row of the matrix, and then what there is always.
func TestGuest(t *testing.T) {
	for _, size := range [][2]int{{60, 24}, {80, 24}, {140, 45}} {
		m := guest(t, size[0], size[1])
		wantIn(t, m, "guest", "guest_test.go")
		press(m, "right")
		wantIn(t, m, "l.Redis.SetNX")
		press(m, "esc")
		wantCell(t, m, 0, 1)
		press(m, "right", "c")
		wantIn(t, m, "ALLOWED: ", "Allowed, since", "nobody ever crashes")
		press(m, "c")
		wantIn(t, m, "o allowed")
		press(m, "left", "left", "enter")
		wantIn(t, m, "HOLDS")
		press(m, "esc", "esc")
		if at(m) != "locks" {
			t.Errorf("esc leads to %s", at(m))
		}
		press(m, "m")
		wantCell(t, m, 0, 0)
	}
}
