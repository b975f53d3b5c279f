// Package ifeq is row 7: the commands of Redis 8.4 in place of scripts. SET IFEQ before the work
// makes sure of a whole lease, and DELEX IFEQ releases.
//
// HOLDS: each compares and acts in one command. (Valkey has neither DELEX nor this order of
// words; it is another lock there.) Under cancel VIOLATED, leak: Lock gives up between its two
// commands if its context has ended, and does not give back what it has.
package ifeq

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// The lock is another's.
var (
	ErrLocked  = errors.New("ifeq: locked")
	ErrExpired = errors.New("ifeq: expired")
)

// L is a lock.
type L struct {
	*redis.Client
	Key   string
	TTL   time.Duration
	token string
}

// Lock acquires, and then makes the lease whole again.
func (l *L) Lock(ctx context.Context) error {
	token := rand.Text()
	if ok, err := l.SetNX(ctx, l.Key, token, l.TTL).Result(); err != nil {
		return err
	} else if !ok {
		return ErrLocked
	}
	l.token = token
	return l.Extend(ctx)
}

// Extend makes the lease as long as it was.
func (l *L) Extend(ctx context.Context) error {
	err := l.Do(ctx, "SET", l.Key, l.token, "IFEQ", l.token, "PX", l.TTL.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return ErrExpired
	}
	return err
}

// Unlock releases.
func (l *L) Unlock(ctx context.Context) error {
	n, err := l.Do(context.WithoutCancel(ctx), "DELEX", l.Key, "IFEQ", l.token).Int()
	if err != nil {
		return fmt.Errorf("unlock %s: %w", l.Key, err)
	}
	if n == 0 {
		return ErrExpired
	}
	return nil
}
