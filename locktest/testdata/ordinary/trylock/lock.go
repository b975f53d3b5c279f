// Package trylock is row 11: each try has its own token, and a try that did not succeed is
// released, whatever came.
//
// HOLDS, and no hint says that after a lost reply a client is kept out by its own lease: the
// release of the try deletes it.
package trylock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrFailed means that no try succeeded.
var ErrFailed = errors.New("failed to acquire lock")

// An Option changes a Mutex.
type Option func(*Mutex)

// WithTries sets how often Lock tries.
func WithTries(n int) Option { return func(m *Mutex) { m.tries = n } }

// Mutex is a lock.
type Mutex struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	tries int
	value string
}

// NewMutex returns a lock.
func NewMutex(rdb *redis.Client, key string, ttl time.Duration, opts ...Option) *Mutex {
	m := &Mutex{rdb: rdb, key: key, ttl: ttl, tries: 1}
	for _, opt := range opts {
		opt(m)
	}
	return m
}

// Lock tries to acquire.
func (m *Mutex) Lock(ctx context.Context) error {
	for i := range m.tries {
		if i > 0 {
			time.Sleep(m.ttl / 2)
		}
		value := rand.Text()
		if ok, err := m.rdb.SetNX(ctx, m.key, value, m.ttl).Result(); err == nil && ok {
			m.value = value
			return nil
		}
		_ = m.release(ctx, value)
	}
	return ErrFailed
}

// Unlock releases.
func (m *Mutex) Unlock(ctx context.Context) error { return m.release(ctx, m.value) }

var script = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`)

func (m *Mutex) release(ctx context.Context, value string) error {
	if err := script.Run(context.WithoutCancel(ctx), m.rdb, []string{m.key}, value).Err(); err != nil {
		return fmt.Errorf("release %s: %w", m.key, err)
	}
	return nil
}
