package explore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A little is a lock of two functions.
type little struct {
	strategies.Env
	lock, unlock func(context.Context, strategies.Env) error
}

func (l little) Lock(ctx context.Context) (strategies.Grant, error) {
	return strategies.Grant{}, l.lock(ctx, l.Env)
}

func (l little) Unlock(ctx context.Context, _ strategies.Grant) error { return l.unlock(ctx, l.Env) }

// takes takes the lock for a TTL, or for good if that is 0.
func takes(ttl time.Duration) func(context.Context, strategies.Env) error {
	return func(ctx context.Context, e strategies.Env) error {
		e.TTL = ttl
		return simtest.Take(ctx, e, 1)
	}
}

// waits listens, tries, and waits for a message if it is refused; then it has the lock.
func waits(take func(context.Context, strategies.Env) error) func(context.Context, strategies.Env) error {
	return func(ctx context.Context, e strategies.Env) error {
		channel := e.Redis.Subscribe(ctx, "channel")
		defer channel.Close()
		if _, err := channel.Receive(ctx); err != nil {
			return err
		}
		err := take(ctx, e)
		if err == strategies.ErrNotAcquired {
			_, err = channel.ReceiveMessage(ctx)
		}
		return err
	}
}

func keeps(context.Context, strategies.Env) error { return nil }

func deletesKey(ctx context.Context, e strategies.Env) error { return e.Redis.Del(ctx, e.Key).Err() }

func wakes(ctx context.Context, e strategies.Env) error {
	if err := e.Redis.Del(ctx, e.Key).Err(); err != nil {
		return err
	}
	return e.Redis.Publish(ctx, "channel", "free").Err()
}

// TestSmallWorlds explores worlds of locks of a few commands to the end. What is found, by
// how many faults, actions and context switches, is what a replay of every schedule finds;
// what is violated follows from the lock too.
func TestSmallWorlds(t *testing.T) {
	const short, ever = 3 * time.Second, 0
	for _, tt := range []struct {
		name         string
		lock, unlock func(context.Context, strategies.Env) error
		faults       []history.Action
		because      string
		want         string
	}{
		{"all is well", takes(short), deletesKey, nil, "", ""},
		{"it is never released", takes(ever), keeps, nil, "", " lock-recovers leak"},
		{"a holder crashes", takes(ever), deletesKey, verbs(history.Crash), "", " lock-recovers"},
		{"a holder crashes, with a lease", takes(short), deletesKey, verbs(history.Crash), "", ""},
		{"a reply is lost", takes(ever), deletesKey, verbs(history.LoseReply), "", " lock-recovers"},
		{"a link is cut", takes(ever), deletesKey, verbs(history.Cut, history.Heal), "", " lock-recovers"}, // whether the release was executed, it does not know
		{"a node is wiped", takes(ever), deletesKey, verbs(history.Wipe), "", " mutual-exclusion foreign-release phantom-hold stale-write lost-update"},
		{"nobody wakes", waits(takes(short)), deletesKey, nil, "", " lost-wakeup"},
		{"everybody wakes", waits(takes(short)), wakes, nil, "", " phantom-hold"},
		{"who is to wake crashes", waits(takes(short)), wakes, verbs(history.Crash), "", " phantom-hold lock-recovers lost-wakeup"},
		{"nobody wakes, because two hold it", waits(takes(short)), deletesKey, nil, history.MutualExclusion, ""},
		{"it is never released, because two hold it", takes(ever), keeps, verbs(history.Wipe), history.MutualExclusion, " mutual-exclusion lock-recovers stale-write lost-update leak"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := Lock{"little", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return little{e, tt.lock, tt.unlock} }}}
			h := Hazard{ID: "small", Bounds: Bounds{Faults: tt.faults, Budget: min(1, len(tt.faults)), Ticks: 1, Because: tt.because}}
			fast := testkit.Must(Check(t.Context(), h, l, Options{}, "A", "B"))(t)
			h.Bounds.Exact = true
			exact := testkit.Must(Check(t.Context(), h, l, Options{}, "A", "B"))(t)
			e := newBrute(fast.Config, l.Subject, h.Bounds)
			e.switching = true
			slow := testkit.Must(e.run())(t)
			slow.Config, slow.Bounds = exact.Config, h.Bounds
			sameAsBrute(t, l, h, exact, slow)
			if got, merged, want := outcome(&exact), outcome(&fast), outcome(&slow); got != want || merged != want {
				t.Errorf("found%s; merged%s; the replay found%s", got, merged, want)
			}
			if got := broken(fast); got != tt.want {
				t.Errorf("found%s, want%s", got, tt.want)
			}
			for _, f := range fast.Found { // with one action less, it recovers
				if f.Violation.Invariant == history.LockRecovers && f.Point != len(f.Schedule) {
					t.Errorf("the point of no return of %s is %d", f.Schedule, f.Point)
				}
			}
		})
	}
}

// outcome returns what a report has found, how cheaply, and by how many context switches.
func outcome(r *Report) string {
	text := ""
	for i := range r.Found {
		f := &r.Found[i]
		text += fmt.Sprintf(" %s: %d faults, %d actions, %d switches, shortest %t;", f.Violation.Invariant, r.Faults(f), len(f.Schedule), switches(f.Schedule), f.Shortest)
	}
	return text + " limit " + r.Limit
}
