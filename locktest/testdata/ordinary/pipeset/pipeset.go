// Package pipeset sends SETNX and PEXPIRE in one pipeline, to save a round trip.
//
// contention: VIOLATED foreign-renewal: a refused client's PEXPIRE makes the holder's lease longer.
package pipeset

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLocked means that somebody else has it.
var ErrLocked = errors.New("pipeset: locked")

// Lock is a lock.
type Lock struct {
	C     *redis.Client
	Key   string
	TTL   time.Duration
	value string
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	value := rand.Text()
	var set *redis.BoolCmd
	_, err := l.C.Pipelined(ctx, func(p redis.Pipeliner) error {
		set = p.SetNX(ctx, l.Key, value, 0)
		p.PExpire(ctx, l.Key, l.TTL)
		return nil
	})
	if err != nil {
		return err
	}
	if !set.Val() {
		return ErrLocked
	}
	l.value = value
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return l.C.Eval(context.WithoutCancel(ctx), `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{l.Key}, l.value).Err()
}
