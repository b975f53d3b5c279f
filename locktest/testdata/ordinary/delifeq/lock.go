// Package delifeq is row 7: MSETEX NX takes two keys at once, of which only one is the lock, and
// DELIFEQ releases: commands of Valkey 9.
//
// HOLDS: MSETEX with NX writes both keys or none. The second key says who it is, for people, and
// is deleted by the same rule.
package delifeq

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("taken")

// Lock is a lock on Valkey.
type Lock struct {
	valkey redis.Cmdable
	do     func(ctx context.Context, args ...any) *redis.Cmd
	key    string
	ms     int64
	id     string
}

// New returns a lock.
func New(valkey *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{valkey: valkey, do: valkey.Do, key: key, ms: ttl.Milliseconds()}
}

// TryLock acquires it.
func (l *Lock) TryLock(ctx context.Context) error {
	id := uuid.New().String()
	n, err := l.do(ctx, "MSETEX", 2, l.key, id, l.key+":by", id, "NX", "PX", l.ms).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrTaken
	}
	l.id = id
	return nil
}

// Unlock releases it.
func (l *Lock) Unlock(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return errors.Join(
		l.do(ctx, "DELIFEQ", l.key+":by", l.id).Err(),
		l.do(ctx, "DELIFEQ", l.key, l.id).Err(),
	)
}
