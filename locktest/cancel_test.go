package locktest_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/locktest"
	"lockstep/sim/explore"
)

// A quitter is a right lock but for what it does when the context of its caller ends during
// Lock.
type quitter struct {
	locktest.Client
	looks   bool // Lock looks at the context once it has the key, and returns its error
	returns bool // Lock returns when the context ends, and a goroutine goes on with SET
	cleans  bool // it gives the key back then
	behind  bool // in the background
	dog     bool // a goroutine that was started before SET renews, and stops when ...
	bound   bool // ... its key is gone; otherwise at Unlock only
	token   string
	stop    func()
}

func (q quitter) make(c locktest.Client) (locktest.Lock, error) {
	q.Client, q.stop = c, func() {}
	return &q, nil
}

func (q *quitter) set(ctx context.Context, token string) error {
	ok, err := q.Redis.SetNX(ctx, q.Key, token, q.TTL).Result()
	if err == nil && !ok {
		err = locktest.ErrNotAcquired
	}
	return err
}

func (q *quitter) remove(ctx context.Context, token string) error {
	n, err := releaseOwn.Run(context.WithoutCancel(ctx), q.Redis, []string{q.Key}, token).Int()
	if err == nil && n == 0 {
		err = locktest.ErrLost
	}
	return err
}

func (q *quitter) Lock(ctx context.Context) error {
	token := rand.Text()
	if q.dog {
		work, stop := context.WithCancel(context.WithoutCancel(ctx))
		q.stop = stop
		go q.renew(work, token)
	}
	if q.returns {
		return q.race(ctx, token)
	}
	if err := q.set(ctx, token); err != nil {
		q.stop()
		return err
	}
	if err := ctx.Err(); err != nil && q.looks {
		switch {
		case q.behind:
			go func() { _ = q.remove(ctx, token) }()
		case q.cleans:
			_ = q.remove(ctx, token)
		}
		return err
	}
	q.token = token
	return nil
}

// race gives up at the end of the context, whatever has become of SET.
func (q *quitter) race(ctx context.Context, token string) error {
	done := make(chan error, 1)
	go func() {
		err := q.set(context.WithoutCancel(ctx), token)
		if err == nil && ctx.Err() != nil && q.cleans {
			_ = q.remove(ctx, token)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			err = ctx.Err()
		}
		q.token = token
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *quitter) renew(ctx context.Context, token string) {
	for tick := time.NewTicker(q.TTL / 3); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := renewOwn.Run(ctx, q.Redis, []string{q.Key}, token, q.TTL.Milliseconds()).Int()
		if q.bound && err == nil && n == 0 {
			return
		}
	}
}

func (q *quitter) Unlock(ctx context.Context) error {
	q.stop()
	return q.remove(ctx, q.token)
}

// TestCancel: a client that was told that it has the key, and gives up as its context has ended, has
// to give the key back: nobody else can before its TTL, and with a watchdog nobody ever can.
func TestCancel(t *testing.T) {
	testkit.Single(t)
	for _, test := range []struct {
		name string
		lock quitter
		want []string // violated
	}{
		{"it keeps what it has", quitter{}, nil},
		{"it looks at the context after SET", quitter{looks: true}, []string{"leak"}},
		{"and cleans up", quitter{looks: true, cleans: true}, nil},
		{"and cleans up in the background", quitter{looks: true, behind: true}, nil},
		{"it waits for SET or the end", quitter{returns: true}, []string{"leak"}},
		{"and its goroutine cleans up", quitter{returns: true, cleans: true}, nil},
		{"its watchdog goes on", quitter{looks: true, dog: true, bound: true}, []string{"lock-recovers", "leak"}},
		{"and its key is gone", quitter{looks: true, cleans: true, dog: true, bound: true}, nil},
		{"and looks at nothing", quitter{looks: true, cleans: true, dog: true}, nil}, // it asks for ever, and harms nobody
	} {
		t.Run(test.name, func(t *testing.T) {
			r := locktest.Tried(t, test.lock.make, "cancel")
			if r == nil {
				return
			}
			var got []string
			for _, f := range r.Found {
				got = append(got, f.Invariant)
				if f.Allowed != "" || f.Faults != 1 {
					t.Errorf("%s, with %d faults, allowed %q:\n%s", f.Invariant, f.Faults, f.Allowed, strings.Join(f.Transcript, "\n"))
				}
			}
			if !slices.Equal(got, test.want) || (r.Verdict == explore.Holds) != (test.want == nil) {
				t.Errorf("%s %s: violates %q, want %q", r.Verdict, r.Reason, got, test.want)
			}
		})
	}
}
