package locktest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// waitsFor is a right lock whose Lock or Unlock waits for something besides.
func waitsFor(lock func(context.Context, *tutorialLock) error, unlock func(context.Context, *tutorialLock) error) Factory {
	return func(c Client) (Lock, error) {
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
		return Funcs(func(ctx context.Context) error {
			if lock != nil {
				return lock(ctx, l)
			}
			return l.Lock(ctx)
		}, func(ctx context.Context) error {
			if unlock != nil {
				return unlock(ctx, l)
			}
			return l.Unlock(ctx)
		}), nil
	}
}

// TestBlockedForever: a wait is one for ever where nothing of the client's own can end it, and
// only there.
func TestBlockedForever(t *testing.T) {
	// The wait for a refusal to be over, by a function that is given what to call then.
	when := func(tell func(l *tutorialLock, free func())) func(context.Context, *tutorialLock) error {
		return func(ctx context.Context, l *tutorialLock) error {
			for {
				err := l.Lock(ctx)
				if !errors.Is(err, ErrNotAcquired) {
					return err
				}
				freed := make(chan bool)
				go tell(l, func() { close(freed) })
				<-freed
			}
		}
	}
	background := context.Background()
	for _, test := range []struct {
		name   string
		make   Factory
		hazard Hazard
		steps  int // of the shortest schedule; 0 for none
		faults int
	}{
		// B is refused, and the goroutine that could wake it sleeps and asks again, which A's release ends.
		{"a goroutine that polls", waitsFor(when(func(l *tutorialLock, free func()) {
			for l.redis.Exists(background, l.key).Val() > 0 {
				time.Sleep(time.Second)
			}
			free()
		}), nil), Contention, 0, 0},
		// It asks once only. A and B begin and SET, A first, and the EXISTS finds the key.
		{"a goroutine that gives up", waitsFor(when(func(l *tutorialLock, free func()) {
			if l.redis.Exists(background, l.key).Val() == 0 {
				free()
			}
		}), nil), Contention, 5, 0},
		// The node holds the command until somebody pushes: A may.
		{"a message that another may send", waitsFor(when(func(l *tutorialLock, free func()) {
			_ = l.redis.BLPop(background, 0, "freed").Err()
			free()
		}), func(ctx context.Context, l *tutorialLock) error {
			err := l.Unlock(ctx)
			return errors.Join(err, l.redis.LPush(ctx, "freed", 1).Err())
		}), Contention, 0, 0},
		// A flag that nobody sets, once B is refused. Time passes, but never brings it to Redis.
		{"a flag", waitsFor(func(ctx context.Context, l *tutorialLock) error {
			err := l.Lock(ctx)
			for errors.Is(err, ErrNotAcquired) {
				time.Sleep(time.Second)
			}
			return err
		}, nil), Contention, 4, 0},
		// The caller's context may end it, but never does here.
		{"the context", waitsFor(func(ctx context.Context, l *tutorialLock) error {
			err := l.Lock(ctx)
			if errors.Is(err, ErrNotAcquired) {
				<-ctx.Done()
			}
			return err
		}, nil), Contention, 4, 0},
		// The second Lock of a client waits for its first.
		{"within another, alone", waitsOnce(), Contention, 0, 0},
		// A begins, sets, enters and reads, and then it stays. It is allowed.
		{"within another", waitsOnce(), Reentry, -4, 0},
		// A timer of its own ends it.
		{"a timer", waitsFor(nil, func(ctx context.Context, l *tutorialLock) error {
			err := l.Unlock(ctx)
			<-time.After(time.Minute)
			return err
		}), Contention, 0, 0},
		// A goroutine that is done but for an error: A begins, sets, enters, reads, writes, leaves, and
		// releases by EVALSHA and EVAL; the reply to the GET is lost, a second passes, and it gives up.
		{"a goroutine that forgets", forgets(false), Contention, 0, 0},
		{"a goroutine that forgets where a reply is lost", forgets(false), LostReply, 11, 1},
		{"a goroutine that does not", forgets(true), LostReply, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := under(t, trialHere(t, test.make), test.hazard)
			i := slices.IndexFunc(r.Found, func(f trial.Found) bool { return f.Invariant == history.BlockedForever })
			switch {
			case i < 0 && test.steps != 0, i >= 0 && test.steps == 0, r.Verdict == explore.Inconclusive:
				t.Errorf("%s, %s, %+v", r.Verdict, r.Reason, r.Found)
			case i >= 0:
				f := r.Found[i]
				if f.Steps != max(test.steps, -test.steps) || f.Faults != test.faults || f.Allowed == "" != (test.steps > 0) {
					t.Errorf("%d faults, %d steps, allowed: %q\n%s", f.Faults, f.Steps, f.Allowed, f.Transcript)
				}
			}
		})
	}
}

// waitsOnce is a lock with a place for one call of its process.
func waitsOnce() Factory {
	return func(c Client) (Lock, error) {
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
		place := make(chan bool, 1)
		return Funcs(func(ctx context.Context) error {
			place <- true
			err := l.Lock(ctx)
			if err != nil {
				<-place
			}
			return err
		}, func(ctx context.Context) error {
			defer func() { <-place }()
			return l.Unlock(ctx)
		}), nil
	}
}

// forgets is a lock whose Unlock waits until a goroutine has looked at the key once, which is done
// for certain only if it always says so.
func forgets(always bool) Factory {
	return func(c Client) (Lock, error) {
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
		var looks sync.WaitGroup
		return Funcs(func(ctx context.Context) error {
			err := l.Lock(ctx)
			if err == nil {
				looks.Add(1)
				go func() {
					err := c.Redis.Get(context.Background(), c.Key).Err()
					if always || err == nil || errors.Is(err, redis.Nil) {
						looks.Done()
					}
				}()
			}
			return err
		}, func(ctx context.Context) error {
			err := l.Unlock(ctx)
			looks.Wait()
			return err
		}), nil
	}
}
