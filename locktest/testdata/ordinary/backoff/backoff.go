// Package backoff tries again after delays that double, with jitter, as options say.
//
// HOLDS.
package backoff

import (
	"context"
	crand "crypto/rand"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrGaveUp means that all tries found it taken.
var ErrGaveUp = errors.New("backoff: gave up")

// An Option changes how a mutex tries.
type Option func(*Mutex)

// Tries sets how often.
func Tries(n int) Option { return func(m *Mutex) { m.tries = n } }

// Base sets the first delay.
func Base(d time.Duration) Option { return func(m *Mutex) { m.base = d } }

// Mutex is a lock.
type Mutex struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	tries int
	base  time.Duration
	token string
}

// New returns a mutex.
func New(rdb *redis.Client, key string, ttl time.Duration, options ...Option) *Mutex {
	m := &Mutex{rdb: rdb, key: key, ttl: ttl, tries: 3, base: 100 * time.Millisecond}
	for _, o := range options {
		o(m)
	}
	return m
}

// Lock acquires.
func (m *Mutex) Lock(ctx context.Context) error {
	delay := m.base
	for i := 0; i < m.tries; i++ {
		token := crand.Text()
		ok, err := m.rdb.SetNX(ctx, m.key, token, m.ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			m.token = token
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay/2 + rand.N(delay/2)):
		}
		delay *= 2
	}
	return ErrGaveUp
}

// Unlock releases.
func (m *Mutex) Unlock(ctx context.Context) error {
	return m.rdb.Eval(context.WithoutCancel(ctx), `return redis.call("GET", KEYS[1]) == ARGV[1] and redis.call("DEL", KEYS[1]) or 0`, []string{m.key}, m.token).Err()
}
