// Package requestctx renews under the context of the acquisition, which has a timeout of 4 s.
//
// contention: HOLDS, work is shorter than that.
// long-work: VIOLATED phantom-hold: at 1.667 s and 3.333 s it renews, at 4 s the context ends, and
// at 8.333 s so does the lease. The work goes on till 15 s.
package requestctx

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("requestctx: taken")

var (
	renew   = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Handle is a held lock.
type Handle struct {
	rdb        *redis.Client
	key, token string
	ttl        time.Duration
	cancel     context.CancelFunc
}

// Lock returns a handle that renews itself.
func Lock(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Handle, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second) // no request takes longer
	h := &Handle{rdb, key, rand.Text(), ttl, cancel}
	ok, err := rdb.SetNX(ctx, key, h.token, ttl).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go h.keep(ctx)
	return h, nil
}

func (h *Handle) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(h.ttl / 3):
		}
		if n, err := renew.Run(ctx, h.rdb, []string{h.key}, h.token, h.ttl.Milliseconds()).Int(); err != nil || n == 0 {
			return
		}
	}
}

// Unlock releases.
func (h *Handle) Unlock(ctx context.Context) error {
	h.cancel()
	return release.Run(context.WithoutCancel(ctx), h.rdb, []string{h.key}, h.token).Err()
}
