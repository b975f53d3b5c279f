// Package counts is row 4: a right lock that counts its releases for the metrics, after its
// compare-and-delete.
//
// HOLDS, as it would without the INCR; see package publish.
package counts

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrHeld means that the lock is held.
	ErrHeld = errors.New("counts: held")
	// ErrNotOwner means that it was not held by this owner.
	ErrNotOwner = errors.New("counts: not the owner")
)

const script = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`

// Store keeps locks.
type Store struct{ *redis.Client }

// TryLock acquires a lock for an owner, which is unique to the attempt.
func (s Store) TryLock(ctx context.Context, key, owner string, ttl time.Duration) error {
	if ok, err := s.SetNX(ctx, key, owner, ttl).Result(); err != nil {
		return err
	} else if !ok {
		return ErrHeld
	}
	return nil
}

// Unlock releases it.
func (s Store) Unlock(ctx context.Context, key, owner string) error {
	ctx = context.WithoutCancel(ctx)
	n, err := s.Eval(ctx, script, []string{key}, owner).Int()
	s.Incr(ctx, "metrics:releases") // best effort
	if err != nil {
		return err
	}
	if n != 1 {
		return ErrNotOwner
	}
	return nil
}
