package explore

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/strategies"
)

// played explores a lock under a hazard and plays every counterexample.
func played(t *testing.T, l Lock, hazard string) Report {
	t.Helper()
	r := check(t, l, hazard)
	for i := range r.Found {
		playable(t, &r, l.Subject, &r.Found[i])
	}
	return r
}

// TestAViolationAtTheBound: an invariant is violated by seven steps, or by five
// with one fault. The search meets the long schedule first, and finds the short
// one if no other fits.
func TestAViolationAtTheBound(t *testing.T) {
	for depth, want := range map[int]string{
		4: " lock-recovers=2 1",
		5: " foreign-renewal=5 overwritten-lease=5 lock-recovers=2 1 1 1",
		6: " foreign-renewal=5 overwritten-lease=5 lock-recovers=2 1 1 1",
		7: " foreign-renewal=7 overwritten-lease=7 lock-recovers=2 0 0 1",
	} {
		h, _ := FindHazard("lost-reply")
		h.Set, h.Bounds.Depth = work, depth
		r, err := Check(t.Context(), h, lockOf(t, "multi-setnx-expire"), Options{}, "A", "B")
		if err != nil || costs(r) != want || r.Limit != "depth" {
			t.Errorf("to depth %d: found%s, limit %q, %v; want%s", depth, costs(r), r.Limit, err, want)
		}
		for i := range r.Found {
			f := &r.Found[i]
			if without := r.Faults(f) == 0; f.Shortest != without {
				t.Errorf("to depth %d: %s is said to be shortest: %t; with fewer faults it may take more steps", depth, f.Violation.Invariant, f.Shortest)
			}
			if f.Violation.Invariant == history.LockRecovers && f.Point != 0 {
				t.Errorf("to depth %d: the point of no return is %d, of what is not known to be shortest", depth, f.Point)
			}
		}
	}
}

// TestProven: only a limit on depth leaves cheaper schedules unvisited, namely
// with fewer faults.
func TestProven(t *testing.T) {
	for _, tt := range []struct {
		shallow bool
		limit   string
		faults  int
		want    bool
	}{
		{false, "", 2, true}, {false, "states", 2, true}, {true, "depth", 1, false}, {true, "depth", 0, true},
		{false, "recovery", 0, false}, {true, "recovery", 0, false},
	} {
		e := &search{shallow: tt.shallow, report: Report{Limit: tt.limit}}
		if got := e.proven([2]int{tt.faults, 3}); got != tt.want {
			t.Errorf("%+v: proven %t", tt, got)
		}
	}
}

// TestLimits sets each limit so that it ends the search at once, cuts a proof, or just does not, or is
// where a violation is. A search that it ends is inconclusive.
func TestLimits(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	// It waits for a message, which is no lost wake-up if nobody knows whether the lock recovers: the
	// probe waits until the end of time.
	patient := makes(func(ctx context.Context, e strategies.Env) error {
		if e.Name == sim.Probe {
			_ = e.Clock.Sleep(ctx, 2*history.MaxTime.Duration())
		}
		if err := simtest.Take(ctx, e, 1); err == nil {
			return nil
		}
		channel := e.Redis.Subscribe(ctx, "channel")
		defer channel.Close()
		_, err := channel.ReceiveMessage(ctx)
		return err
	})
	setnx, leak := lockOf(t, "setnx"), lockOf(t, "reentrant-leak")
	e := searchedFor(t, "setnx", "contention")
	states, bytes := e.states.len(), e.bytes()
	for _, tt := range []struct {
		name   string
		lock   Lock
		bounds Bounds
		limit  string
	}{
		{"one state", setnx, Bounds{States: 1}, "states"},
		{"some states", setnx, Bounds{Ticks: 4, States: 32}, "states"},
		{"all states but one", setnx, Bounds{Ticks: 4, States: states - 1}, "states"},
		{"all states", setnx, Bounds{Ticks: 4, States: states}, ""},
		{"one byte", setnx, Bounds{Memory: 1}, "memory"},
		{"all bytes but one", setnx, Bounds{Ticks: 4, Memory: bytes - 1}, "memory"},
		{"all bytes", setnx, Bounds{Ticks: 4, Memory: bytes}, ""},
		{"one action", setnx, Bounds{Depth: 1}, "depth"},
		{"some actions", setnx, Bounds{Ticks: 4, Depth: 12}, "depth"},
		{"faults that are never possible", setnx, Bounds{Faults: verbs(history.Heal), Budget: 2, Depth: 3}, "depth"},
		{"an action less than a violation has", leak, Bounds{Ticks: 4, Depth: 7}, "depth"},
		{"as many as it has", leak, Bounds{Ticks: 4, Depth: 8}, "violated"},
		{"a recovery that nobody decides", patient, Bounds{Ticks: 4}, "recovery"},
		{"an interrupt", setnx, Bounds{}, Interrupt},
	} {
		ctx, want := t.Context(), "ended by the limit on "+tt.limit
		if tt.limit == Interrupt {
			ctx, want = stopped, "ended by an interrupt"
		}
		h, _ := FindHazard("contention")
		r, err := Explore(ctx, h.Config(tt.lock, "A", "B"), tt.lock.Subject, tt.bounds, Options{})
		v, why := r.Verdict()
		switch {
		case tt.limit == "violated":
			if v != Violated {
				t.Errorf("%s: %s, %v", tt.name, v, err)
			}
		case err != nil || r.Limit != tt.limit || tt.limit != "" && (v != Inconclusive || why.String() != want):
			t.Errorf("%s: limit %q, %s, %q, %v", tt.name, r.Limit, v, why, err)
		}
	}
}

// searchedFor is the search for a lock of the catalogue under a hazard.
func searchedFor(t *testing.T, lock, hazard string) *search {
	t.Helper()
	l, h := lockOf(t, lock), matrixHazards(t, hazard)[0]
	return searched(t, model.New(t.Context(), h.Config(l, "A", "B"), l.Subject, false), h.Bounds)
}

// searched is a search of a model, without what follows it.
func searched(t *testing.T, m *model.Model, b Bounds) *search {
	t.Helper()
	t.Cleanup(m.Close)
	e := newSearch(t.Context(), m, b, Options{})
	t.Cleanup(e.stop)
	testkit.OK(t, e.run())
	return e
}

// TestALivelockIsNoRecovery: a client that tests with GETSET extends the
// deadline that it tests, so that waiting clients keep each other out forever
// after the holder's death. The same lock with a GET first recovers.
func TestALivelockIsNoRecovery(t *testing.T) {
	lease := func(look bool) Lock {
		return makes(func(ctx context.Context, e strategies.Env) error {
			until := func(text string) time.Time {
				at, _ := time.Parse(time.RFC3339Nano, text) // none is in the distant past
				return at
			}
			now := e.Clock.Now()
			if look && !until(e.Redis.Get(ctx, e.Key).Val()).Before(now) {
				return strategies.ErrNotAcquired
			}
			old, _ := e.Redis.Do(ctx, "GETSET", e.Key, now.Add(e.TTL).Format(time.RFC3339Nano)).Text()
			if !until(old).Before(now) {
				return strategies.ErrNotAcquired
			}
			return nil
		})
	}
	for look, want := range map[bool]bool{false: true, true: false} {
		r := played(t, lease(look), "crash")
		if found(&r, history.LockRecovers) != want || r.Limit != "" {
			t.Errorf("look first %t: limit %q, found%s", look, r.Limit, lengths(r))
		}
	}
}
