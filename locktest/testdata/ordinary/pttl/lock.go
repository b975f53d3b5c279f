// Package pttl waits for as long as the holder's lease lasts, which PTTL tells, and no longer
// than its caller does.
//
// HOLDS. reentry: waiting for itself is allowed, and what comes of it.
package pttl

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTimeout means that the lock was not free in time.
var ErrTimeout = errors.New("pttl: timeout")

// Lock is a lock with a patience.
type Lock struct {
	rdb           *redis.Client
	key, token    string
	ttl, patience time.Duration
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl, patience time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl, patience: patience}
}

// Lock waits until it has the lock.
func (l *Lock) Lock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	token := rand.Text()
	for ctx.Err() == nil {
		ok, err := l.rdb.SetNX(ctx, l.key, token, l.ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			l.token = token
			return nil
		}
		left, err := l.rdb.PTTL(ctx, l.key).Result()
		if err != nil {
			return err
		}
		timer := time.NewTimer(max(left, 0) + time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return ErrTimeout
}

// Unlock releases it.
func (l *Lock) Unlock(ctx context.Context) error {
	const lua = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
	return l.rdb.Eval(context.WithoutCancel(ctx), lua, []string{l.key}, l.token).Err()
}
