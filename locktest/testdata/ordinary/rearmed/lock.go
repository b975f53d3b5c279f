// Package rearmed renews by a timer that the renewal itself sets again. Unlock stops the timer; it
// does not ask whether it has just fired.
//
// contention: HOLDS, time does not pass while a renewal is under way.
// cancel: VIOLATED lock-recovers: at 1.667 s the timer fires, and the work is cancelled. Unlock stops
// the timer, which has fired already. The renewal writes a key that is gone, since a node may have
// forgotten it, and sets the timer: from then on it keeps everybody out, for ever.
package rearmed

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("rearmed: taken")

const (
	keepLua = `local v = redis.call("GET", KEYS[1])
if v and v ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`
	dropLua = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

// Lock sets its timer.
type Lock struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
	timer *time.Timer
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
	l.token = token
	l.timer = time.AfterFunc(l.ttl/3, l.keep)
	return nil
}

func (l *Lock) keep() {
	n, err := l.rdb.Eval(context.Background(), keepLua, []string{l.key}, l.token, l.ttl.Milliseconds()).Int()
	if err == nil && n == 1 {
		l.timer.Reset(l.ttl / 3)
	}
}

// Unlock stops the timer and releases.
func (l *Lock) Unlock(ctx context.Context) error {
	l.timer.Stop()
	return l.rdb.Eval(context.WithoutCancel(ctx), dropLua, []string{l.key}, l.token).Err()
}
