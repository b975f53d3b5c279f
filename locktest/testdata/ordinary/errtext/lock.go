// Package errtext is row 5: a right lock whose Unlock says what went wrong in its own words,
// with %v, or by an error of its own.
//
// HOLDS: whether a reply was lost is a matter of the connection, not of the words. Where the
// release's reply did not come, nobody can know whether the key is gone.
package errtext

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// The errors of the lock.
var (
	ErrAcquire = errors.New("could not get the lock")
	ErrRelease = errors.New("could not release the lock")
)

// Lock has a token that its maker draws.
type Lock struct {
	rdb *redis.Client
	key string
	val string
	ttl time.Duration
	own bool // an error of its own
}

// New returns a lock with a token for its next use.
func New(rdb *redis.Client, key, val string, ttl time.Duration, own bool) *Lock {
	return &Lock{rdb, key, val, ttl, own}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	ok, err := l.rdb.SetNX(ctx, l.key, l.val, l.ttl).Result()
	if err != nil {
		return fmt.Errorf("redis: %v", err)
	}
	if !ok {
		return ErrAcquire
	}
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	const src = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`
	res, err := l.rdb.Eval(context.WithoutCancel(ctx), src, []string{l.key}, l.val).Result()
	switch {
	case err != nil && l.own:
		return ErrRelease
	case err != nil:
		return fmt.Errorf("unlock failed: %v", err)
	case res == int64(0):
		return ErrRelease
	}
	return nil
}
