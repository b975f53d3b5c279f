// Package polls is row 6: a right lock that waits, and looks again each two seconds until its
// context is done.
//
// HOLDS. reentry: the nested acquisition waits for the client's own lease; that is allowed, and
// so is what comes of it: the lease ends meanwhile, and another client is in.
package polls

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Waiting lock waits for its turn.
type Waiting struct {
	c     *redis.Client
	key   string
	ttl   time.Duration
	token string
}

// New returns one.
func New(c *redis.Client, key string, ttl time.Duration) *Waiting {
	return &Waiting{c: c, key: key, ttl: ttl}
}

// Lock blocks until the lock is acquired or ctx is done.
func (w *Waiting) Lock(ctx context.Context) error {
	token := rand.Text()
	for {
		ok, err := w.c.SetNX(ctx, w.key, token, w.ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			w.token = token
			return nil
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unlock releases the lock.
func (w *Waiting) Unlock(ctx context.Context) error {
	return w.c.Eval(context.WithoutCancel(ctx),
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`,
		[]string{w.key}, w.token).Err()
}
