// Package resurrect renews by a script that also writes a key that is gone, since a node may have
// forgotten it. Unlock does not wait for a renewal that is under way.
//
// contention: HOLDS, time does not pass while a renewal is under way.
// cancel: VIOLATED leak: at 1.667 s the renewal is sent, and the work is cancelled; the release
// deletes the key before the renewal is executed. That writes the key of a client that has
// released it, and everybody is kept out for a lease.
package resurrect

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("resurrect: taken")

var (
	keep = redis.NewScript(`
local v = redis.call("GET", KEYS[1])
if v and v ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`)
	drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Lock keeps itself.
type Lock struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
	stop  chan struct{}
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := l.rdb.SetNX(ctx, l.key, token, l.ttl).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	if err != nil {
		return err
	}
	l.token, l.stop = token, make(chan struct{})
	go l.keep(token, l.stop)
	return nil
}

func (l *Lock) keep(token string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(l.ttl / 3):
		}
		n, err := keep.Run(context.Background(), l.rdb, []string{l.key}, token, l.ttl.Milliseconds()).Int()
		if err == nil && n == 0 {
			return
		}
	}
}

// Unlock ends the renewal and releases.
func (l *Lock) Unlock(ctx context.Context) error {
	close(l.stop)
	return drop.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
}
