// Package afterfunc renews by time.AfterFunc, each third of the lease, for a minute at most. Who
// works learns by its context that a lease is lost.
//
// HOLDS. long-work: three leases are 15 s, and the minute is not over.
// hang: the process of a worker that hangs renews on, but not for longer than the minute, which
// is twelve leases: the lock recovers.
package afterfunc

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("afterfunc: taken")

const atMost = time.Minute

var (
	extend = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	free   = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// A Lease renews itself.
type Lease struct {
	rdb        *redis.Client
	key, token string
	ttl        time.Duration
	until      time.Time
	lost       context.CancelFunc

	mu    sync.Mutex
	timer *time.Timer // nil when it is over
}

// Acquire returns a lease, and a context that is done when it is lost.
func Acquire(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lease, context.Context, error) {
	l := &Lease{rdb: rdb, key: key, token: rand.Text(), ttl: ttl, until: time.Now().Add(atMost)}
	ok, err := rdb.SetNX(ctx, key, l.token, ttl).Result()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, ErrTaken
	}
	ctx, l.lost = context.WithCancel(ctx)
	l.timer = time.AfterFunc(ttl/3, l.renew)
	return l, ctx, nil
}

func (l *Lease) renew() {
	ctx, cancel := context.WithTimeout(context.Background(), l.ttl/3)
	defer cancel()
	n, err := extend.Run(ctx, l.rdb, []string{l.key}, l.token, l.ttl.Milliseconds()).Int()
	if err == nil && n == 0 || time.Now().After(l.until) {
		l.lost()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Reset(l.ttl / 3)
	}
}

// Release ends the lease.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	l.timer.Stop()
	l.timer = nil
	l.mu.Unlock()
	l.lost()
	return free.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
}
