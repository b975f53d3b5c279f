// Package setxx renews by SET XX: if the key is there, it writes its own token with a whole lease.
//
// contention, long-work: HOLDS, the key is its own.
// overrun: VIOLATED foreign-release: A's lease has ended, B has acquired, and A's watchdog writes
// A's token in place of B's.
package setxx

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("setxx: taken")

// Lock is a lock with a watchdog.
type Lock struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
	stop  context.CancelFunc
	done  chan struct{}
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl}
}

// Lock acquires and starts the watchdog.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := l.rdb.SetNX(ctx, l.key, token, l.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	l.token, l.done = token, make(chan struct{})
	ctx, l.stop = context.WithCancel(context.Background())
	go l.watch(ctx, token, l.done)
	return nil
}

func (l *Lock) watch(ctx context.Context, token string, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(l.ttl / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if ok, err := l.rdb.SetXX(ctx, l.key, token, l.ttl).Result(); err == nil && !ok {
				return // it is gone
			}
		}
	}
}

// Unlock stops the watchdog, waits for it, and releases.
func (l *Lock) Unlock(ctx context.Context) error {
	l.stop()
	<-l.done
	return l.rdb.Eval(context.WithoutCancel(ctx),
		`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`, []string{l.key}, l.token).Err()
}
