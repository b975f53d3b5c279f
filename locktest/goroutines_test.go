package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble/guest"
	"lockstep/sim/history"
)

// This file is locks that goroutines of one process take. Their mutex is that of package
// guest, with which the code of a module under test is compiled.

// A handle is a lease; its token differs from acquisition to acquisition.
type handle struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
	next  *int
	token string
}

func handleOf(c Client, next *int) *handle {
	return &handle{redis: c.Redis, key: c.Key, ttl: c.TTL, next: next}
}

func (h *handle) Lock(ctx context.Context) error {
	*h.next++
	token := fmt.Sprintf("token-%d", *h.next)
	got, err := h.redis.SetNX(ctx, h.key, token, h.ttl).Result()
	if err == nil && got {
		h.token = token
	}
	return refused(got, err)
}

func (h *handle) Unlock(ctx context.Context) error {
	return released(compareAndDelete.Run(ctx, h.redis, []string{h.key}, h.token).Int())
}

// A beside has a mutex of the process beside the lease.
type beside struct {
	handle
	mu      guest.Mutex
	forgets bool // the mutex, if the lease is refused
}

func (l *beside) Lock(ctx context.Context) error {
	l.mu.Lock()
	err := l.handle.Lock(ctx)
	if err != nil && !l.forgets {
		l.mu.Unlock()
	}
	return err
}

func (l *beside) Unlock(ctx context.Context) error {
	defer l.mu.Unlock()
	return l.handle.Unlock(ctx)
}

// A hoards that waits keeps the mutex that the holder needs to give the lock back; a
// watchdog keeps the lease meanwhile.
type hoards struct {
	handle
	mu   *guest.Mutex
	stop context.CancelFunc
}

func (l *hoards) Lock(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		err := l.handle.Lock(ctx)
		if err == nil {
			ctx, l.stop = context.WithCancel(ctx)
			go l.watch(ctx)
		}
		if !errors.Is(err, ErrNotAcquired) {
			return err
		}
		if err := pause(ctx, 2*time.Second); err != nil {
			return err
		}
	}
}

func (l *hoards) watch(ctx context.Context) {
	for pause(ctx, l.ttl/2) == nil {
		l.redis.Expire(ctx, l.key, l.ttl)
	}
}

func (l *hoards) Unlock(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	return l.handle.Unlock(ctx)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// one has one watchdog, which renews whatever the process holds.
func one(c Client) (Lock, error) {
	var mu guest.Mutex
	var held []string
	next := 0
	watch := func(ctx context.Context) {
		for pause(ctx, c.TTL/3) == nil {
			mu.Lock()
			all := slices.Clone(held)
			mu.Unlock()
			for _, token := range all {
				compareAndExpire.Run(ctx, c.Redis, []string{c.Key}, token, c.TTL.Milliseconds())
			}
		}
	}
	return PerGoroutine(func() Lock {
		h := handleOf(c, &next)
		return Funcs(func(ctx context.Context) error {
			err := h.Lock(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				held = append(held, h.token)
			}
			if err == nil && h.token == "token-1" {
				go watch(ctx)
			}
			return err
		}, func(ctx context.Context) error {
			mu.Lock()
			held = slices.DeleteFunc(held, func(token string) bool { return token == h.token })
			mu.Unlock()
			return h.Unlock(ctx)
		})
	}), nil
}

// TestGoroutines: what goroutines of one process share is found, and nothing else is.
func TestGoroutines(t *testing.T) {
	own := func(c Client) (Lock, error) {
		next := 0
		return PerGoroutine(func() Lock { return handleOf(c, &next) }), nil
	}
	shared := func(c Client) (Lock, error) { return handleOf(c, new(int)), nil }
	byName := func(c Client) (Lock, error) {
		return Funcs(func(ctx context.Context) error {
			got, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result()
			return refused(got, err)
		}, func(ctx context.Context) error {
			return compareAndDelete.Run(ctx, c.Redis, []string{c.Key}, c.Name).Err()
		}), nil
	}
	mutex := func(forgets bool) Factory {
		return func(c Client) (Lock, error) {
			return &beside{handle: *handleOf(c, new(int)), forgets: forgets}, nil
		}
	}
	hoarding := func(c Client) (Lock, error) {
		var mu guest.Mutex
		next := 0
		return PerGoroutine(func() Lock { return &hoards{handle: *handleOf(c, &next), mu: &mu} }), nil
	}
	for _, test := range testkit.Some(t, []struct {
		what   string
		lock   Factory
		hazard Hazard
		want   []string
	}{
		{"one handle", shared, Eviction, []string{history.ForeignRelease}},
		{"a handle of its own", own, Eviction, nil},
		{"one name", byName, Eviction, []string{history.EqualTokens}},
		{"a mutex that is forgotten", mutex(true), LostReply, []string{history.LockRecovers, history.LostWakeup}},
		{"a mutex beside it", mutex(false), Eviction, nil},
		{"a mutex that the holder needs", hoarding, Contention, []string{history.LockRecovers}},
		{"one watchdog", one, Contention, nil},
		{"a mutex is not reentrant", mutex(false), Reentry, nil},
		{"a crash ends both", mutex(false), Crash, nil},
	}, 3, 3) {
		t.Run(test.what, func(t *testing.T) {
			o := defaults()
			Goroutines(2)(&o)
			o.plan.Hazards = []string{test.hazard.String()}
			var want []string
			for _, invariant := range test.want {
				want = append(want, test.hazard.String()+" "+invariant)
			}
			if found := violationsOf(t, test.lock, &o); !slices.Equal(found, want) {
				t.Errorf("found %v, want %v", found, want)
			}
		})
	}
}
