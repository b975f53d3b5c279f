// Package setget acquires by SET NX GET (Redis 7.0) and releases by WATCH, GET, MULTI, DEL.
//
// HOLDS. A Lock has one token for all its tries: if the reply to the first was lost, the second
// reads that token, and knows that the lock is its own. WATCH fails the transaction if the key
// has changed since, also by its end and another client's SET.
package setget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// The reasons why it is not ours.
var (
	ErrHeldByOther = errors.New("setget: held by another owner")
	ErrNotHeld     = errors.New("setget: not held")
)

const tries = 2

// Lock is a handle on a held lock.
type Lock struct {
	rdb        *redis.Client
	key, token string
}

// Acquire returns a handle.
func Acquire(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lock, error) {
	l := &Lock{rdb, key, uuid.NewString()}
	var err error
	for range tries {
		var before string
		before, err = rdb.SetArgs(ctx, key, l.token, redis.SetArgs{Mode: "NX", TTL: ttl, Get: true}).Result()
		switch {
		case errors.Is(err, redis.Nil), err == nil && before == l.token:
			return l, nil
		case err == nil:
			return nil, ErrHeldByOther
		}
	}
	return nil, fmt.Errorf("acquire %s: %w", key, err)
}

// Release gives the lock back.
func (l *Lock) Release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		value, err := tx.Get(ctx, l.key).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if value != l.token {
			return ErrNotHeld
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			return p.Del(ctx, l.key).Err()
		})
		return err
	}, l.key)
	if errors.Is(err, redis.TxFailedErr) {
		return ErrNotHeld
	}
	return err
}
