package explore

import (
	"context"
	"testing"
	"time"

	"lockstep/sim/bubble"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A poller asks for the lock again and again, ten times a second.
type poller struct {
	strategies.Env
	ttl   time.Duration // 0 for none
	gives time.Duration // after which it gives up; 0 for never
	looks int           // after so many polls it asks who has the lock
	wakes int           // after so many polls a goroutine of its own sends something a little later
}

func (l poller) Lock(ctx context.Context) (strategies.Grant, error) {
	begun := time.Now()
	for n := 1; ; n++ {
		token := l.Token()
		ok, err := l.Redis.SetNX(ctx, l.Key, token, l.ttl).Result()
		switch {
		case err != nil || ok:
			return strategies.Grant{Token: token}, err
		case l.gives > 0 && time.Since(begun) >= l.gives:
			return strategies.Grant{}, strategies.ErrNotAcquired
		case n == l.looks:
			l.Redis.Get(ctx, l.Key)
		case n == l.wakes:
			go func() {
				time.Sleep(250 * time.Millisecond)
				l.Redis.Exists(context.Background(), "other")
			}()
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (l poller) Unlock(ctx context.Context, g strategies.Grant) error {
	return l.Redis.Do(ctx, "DELEX", l.Key, "IFEQ", g.Token).Err()
}

// TestPolls: a search that takes for granted that code which polls has no other timer comes to
// the same states, transitions and schedules as one that looks for timers each time, also of
// code that does something else in the end.
func TestPolls(t *testing.T) {
	for name, l := range map[string]poller{
		"a lease":     {ttl: 1500 * time.Millisecond},
		"it gives up": {gives: 1300 * time.Millisecond, looks: 12},
		"it looks":    {ttl: 1500 * time.Millisecond, looks: 12},
		"a goroutine": {ttl: 1500 * time.Millisecond, wakes: 11},
		"too few":     {ttl: 700 * time.Millisecond},
	} {
		for _, id := range []string{"crash", "hang"} {
			h, _ := FindHazard(id)
			lock := Lock{ID: "poller", Subject: program.Subject{Nodes: 1, Start: bubble.Start, New: func(e strategies.Env) strategies.Lock {
				l := l
				l.Env = e
				return l
			}}}
			config := h.Config(lock, "A", "B")
			config.TTL = 1500
			found := func(exact bool) Report {
				b := h.Bounds
				b.Exact = exact
				r, err := Explore(t.Context(), config, lock.Subject, b, Options{})
				if err != nil || r.Limit != "" {
					t.Fatalf("%s under %s: %v, limit %q", name, id, err, r.Limit)
				}
				return r
			}
			each, taken := found(true), found(false)
			if each.Polls != 0 || (taken.Polls == 0) != (name == "too few") {
				t.Errorf("%s under %s: taken after %d polls, and %d", name, id, each.Polls, taken.Polls)
			}
			if !each.sameFindings(&taken) || each.States != taken.States || each.Transitions != taken.Transitions {
				t.Errorf("%s under %s: %d states, %d transitions, %v; with nothing taken for granted %d, %d, %v", name, id, taken.States, taken.Transitions, taken.Found, each.States, each.Transitions, each.Found)
			}
		}
	}
}
