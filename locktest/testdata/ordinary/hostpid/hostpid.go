// Package hostpid has the name of its host and process as token: one for all acquisitions of a
// process.
//
// contention, crash: HOLDS. No two processes have the same.
// overrun: HOLDS: a late release finds the other's token.
package hostpid

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrAlreadyLocked means that another process has it.
var ErrAlreadyLocked = errors.New("already locked")

// ProcessLock is a lock of a process.
type ProcessLock struct {
	rdb  *redis.Client
	key  string
	self string
	ttl  time.Duration
}

// New returns the lock of a process.
func New(rdb *redis.Client, key, host string, pid int, ttl time.Duration) *ProcessLock {
	return &ProcessLock{rdb: rdb, key: key, self: fmt.Sprintf("%s:%d", host, pid), ttl: ttl}
}

// Lock acquires.
func (p *ProcessLock) Lock(ctx context.Context) error {
	res, err := p.rdb.Do(ctx, "SET", p.key, p.self, "NX", "PX", p.ttl.Milliseconds()).Result()
	if errors.Is(err, redis.Nil) {
		return ErrAlreadyLocked
	}
	if err != nil {
		return err
	}
	if res != "OK" {
		return fmt.Errorf("hostpid: SET says %v", res)
	}
	return nil
}

// Unlock releases.
func (p *ProcessLock) Unlock(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return p.rdb.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, p.key).Result()
		if errors.Is(err, redis.Nil) || err == nil && owner != p.self {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error { return pipe.Del(ctx, p.key).Err() })
		if errors.Is(err, redis.TxFailedErr) {
			return nil
		}
		return err
	}, p.key)
}
