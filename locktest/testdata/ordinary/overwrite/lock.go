// Package overwrite is row 2: it looks whether its name is in the key, and writes it there
// in any case. The release compares.
//
// VIOLATED phantom-hold under every hazard, without a fault and before any time has passed: A
// acquires, B's SET replaces the value, and A goes on to work. Nothing was forgotten and no
// lease ended, so no hazard allows it.
package overwrite

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

var release = redis.NewScript(`
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	end
	return 0`)

// ErrGone is returned by Release if the lock was another's.
var ErrGone = errors.New("lock is gone")

// A Lock belongs to a worker.
type Lock struct {
	Client *redis.Client
	Key    string
	Worker string
	TTL    time.Duration
}

// Acquire claims the key.
func (l Lock) Acquire(ctx context.Context) error {
	if err := l.Client.Set(ctx, l.Key, l.Worker, l.TTL).Err(); err != nil {
		log.Printf("lock %s: %v", l.Key, err)
		return err
	}
	return nil
}

// Release gives it back.
func (l Lock) Release(ctx context.Context) error {
	n, err := release.Run(context.WithoutCancel(ctx), l.Client, []string{l.Key}, l.Worker).Int64()
	if err == nil && n == 0 {
		return ErrGone
	}
	return err
}
