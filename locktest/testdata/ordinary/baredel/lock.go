// Package baredel is row 1: a key with a prefix, one value for all, and a release that only deletes.
//
// overrun: VIOLATED foreign-release. A's lease ends while A works, B acquires, and A's DEL
// removes what B has. No lease is to blame for that: a release that compares would not do it.
// node-restart: VIOLATED foreign-release, by the same DEL; the node forgot A's key before.
// hang: HOLDS. A client that hangs releases nothing, and nobody else works for longer than a
// lease. That the hanging one still believes in its lease is allowed.
package baredel

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLocked means that somebody else is at it.
var ErrLocked = errors.New("baredel: locked")

// Mutex is a named lock.
type Mutex struct {
	rdb  *redis.Client
	name string
	ttl  time.Duration
}

// New returns the mutex of a resource.
func New(rdb *redis.Client, resource string, ttl time.Duration) *Mutex {
	return &Mutex{rdb: rdb, name: "locks:" + resource, ttl: ttl}
}

// Lock tries once.
func (m *Mutex) Lock(ctx context.Context) error {
	ok, err := m.rdb.SetNX(ctx, m.name, 1, m.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrLocked
	}
	return nil
}

// Unlock deletes the key.
func (m *Mutex) Unlock(ctx context.Context) error {
	return m.rdb.Del(context.WithoutCancel(ctx), m.name).Err()
}
