// Package localdeadline deletes without a comparison, but only while its own clock says that the
// lease lasts.
//
// contention: HOLDS, work is shorter than a lease.
// overrun: VIOLATED leak: A's look at its clock is a lease old when its SET is executed. So Unlock
// says that the lease is over, and leaves a key that keeps everybody out for a lease.
// client-clock: VIOLATED leak: so does a clock that jumps ahead.
// Worse comes later, and the search ends with the first: foreign-release, where A looks at its
// clock in time, and its DEL is executed after the lease, and after B has acquired; or by a
// slow clock.
package localdeadline

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of Lock and Unlock.
var (
	ErrTaken   = errors.New("taken")
	ErrExpired = errors.New("expired")
)

// Lock knows when it ends.
type Lock struct {
	Redis *redis.Client
	Key   string
	TTL   time.Duration
	ends  time.Time
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	ends := time.Now().Add(l.TTL)
	ok, err := l.Redis.SetNX(ctx, l.Key, ends.Format(time.RFC3339), l.TTL).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	l.ends = ends
	return err
}

// Unlock releases if there is something to release.
func (l *Lock) Unlock(ctx context.Context) error {
	if time.Now().After(l.ends) {
		return ErrExpired
	}
	return l.Redis.Del(context.WithoutCancel(ctx), l.Key).Err()
}
