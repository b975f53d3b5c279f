package locktest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
)

// A plain is a right lock: SET NX PX with a fresh token, kept only on success, and a
// script that compares and deletes. wrong is one that releases another key.
type plain struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
	token string
	wrong bool
}

func (p *plain) lock(ctx context.Context) (bool, error) {
	token := rand.Text()
	ok, err := p.redis.SetNX(ctx, p.key, token, p.ttl).Result()
	if err == nil && ok {
		p.token = token
	}
	return ok, err
}

func (p *plain) unlock(ctx context.Context) (int, error) {
	key := p.key
	if p.wrong {
		key += ":another"
	}
	return compareAndDelete.Run(context.WithoutCancel(ctx), p.redis, []string{key}, p.token).Int()
}

func (p *plain) Lock(ctx context.Context) error   { return refused(p.lock(ctx)) }
func (p *plain) Unlock(ctx context.Context) error { return released(p.unlock(ctx)) }

// withLock runs a function under the lock; what its release says is logged.
func (p *plain) withLock(ctx context.Context, f func(context.Context) error) error {
	if err := p.Lock(ctx); err != nil {
		return err
	}
	defer func() { _, _ = p.unlock(ctx) }()
	return f(ctx)
}

var errOwn = errors.New("could not unlock")

// makes are the ways in which the same lock says what came of its release. The first one
// is what a chain of errors can tell.
var makes = []struct {
	name string
	of   func(p *plain) Lock
}{
	{"an error that wraps", func(p *plain) Lock {
		return Funcs(p.Lock, func(ctx context.Context) error {
			if err := p.Unlock(ctx); err != nil {
				return fmt.Errorf("unlock failed: %w", err)
			}
			return nil
		})
	}},
	{"an error's text", func(p *plain) Lock {
		return Funcs(p.Lock, func(ctx context.Context) error {
			if err := p.Unlock(ctx); err != nil {
				return fmt.Errorf("unlock failed: %v", err)
			}
			return nil
		})
	}},
	{"an error of its own", func(p *plain) Lock {
		return Funcs(p.Lock, func(ctx context.Context) error {
			if p.Unlock(ctx) != nil {
				return errOwn
			}
			return nil
		})
	}},
	{"a bool", func(p *plain) Lock {
		return Funcs(p.Lock, NoResult(func(ctx context.Context) bool {
			n, err := p.unlock(ctx)
			return err == nil && n == 1
		}))
	}},
	{"a bool, without a context", func(p *plain) Lock {
		return Funcs(p.Lock, NoResult(func() bool {
			n, err := p.unlock(context.Background())
			return err == nil && n == 1
		}))
	}},
	{"nothing", func(p *plain) Lock {
		return Funcs(p.Lock, NoResult(func(ctx context.Context) { _, _ = p.unlock(ctx) }))
	}},
	{"nothing, without a context", func(p *plain) Lock {
		return Funcs(p.Lock, NoResult(func() { _, _ = p.unlock(context.Background()) }))
	}},
	{"no error, and another command after it", func(p *plain) Lock {
		return Funcs(p.Lock, func(ctx context.Context) error {
			if _, err := p.unlock(ctx); err != nil {
				p.redis.Incr(ctx, "failures")
			}
			return nil
		})
	}},
	{"nothing, in the background", func(p *plain) Lock {
		return Funcs(p.Lock, NoResult(func() { go func() { _, _ = p.unlock(context.Background()) }() }))
	}},
	{"a timeout of its own", func(p *plain) Lock {
		return Funcs(p.Lock, func(ctx context.Context) error {
			said := make(chan error, 1)
			go func() { said <- p.Unlock(ctx) }()
			select {
			case err := <-said:
				return err
			case <-time.After(100 * time.Millisecond):
				return errOwn
			}
		})
	}},
	{"a function that calls back", func(p *plain) Lock { return With(p.withLock) }},
	{"a function that calls back in another goroutine", func(p *plain) Lock {
		return With(func(ctx context.Context, f func(context.Context) error) error {
			done := make(chan error)
			go func() { done <- p.withLock(ctx, f) }()
			return <-done
		})
	}},
	{"a bool from both", func(p *plain) Lock {
		return Funcs(func(ctx context.Context) error {
			if ok, err := p.lock(ctx); err != nil || !ok {
				return ErrNotAcquired
			}
			return nil
		}, NoResult(func(ctx context.Context) bool {
			n, err := p.unlock(ctx)
			return err == nil && n == 1
		}))
	}},
}

func made(of func(*plain) Lock, wrong bool) Factory {
	return func(c Client) (Lock, error) {
		return of(&plain{redis: c.Redis, key: c.Key, ttl: c.TTL, wrong: wrong}), nil
	}
}

// TestOutcomes: what a right lock's release says, and how, makes no difference: whether
// its reply was lost is known without it. A lock that does not release is found in any
// case.
func TestOutcomes(t *testing.T) {
	testkit.Single(t)
	for _, m := range testkit.Some(t, makes, 4, 3) {
		t.Run(m.name, func(t *testing.T) {
			o := defaults()
			for _, r := range reports(t, made(m.of, false), &o) {
				for _, f := range r.Found {
					if f.Allowed == "" {
						t.Errorf("%s: %s", r.Hazard, f.Text(nil, "lockstep check"))
					}
				}
			}
			wrong := violations(t, made(m.of, true), 1, "contention")
			if !slices.Contains(wrong, "contention leak") {
				t.Errorf("that it releases another key is not found: %v", wrong)
			}
		})
	}
}
