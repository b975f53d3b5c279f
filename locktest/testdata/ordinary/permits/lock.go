// Package permits is row 8: a semaphore of two permits in a sorted set, and right as that.
//
// Not an exclusive lock: one sentence has to say that, since "phantom-hold" of who still has its
// permit is false.
package permits

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrFull means that all permits are taken.
var ErrFull = errors.New("semaphore is full")

var take = redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("ZADD", KEYS[1], now + ARGV[3], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`)

// Semaphore has so many permits.
type Semaphore struct {
	RDB     *redis.Client
	Key     string
	Permits int
	TTL     time.Duration
	id      string
}

// Acquire takes a permit.
func (s *Semaphore) Acquire(ctx context.Context) error {
	id := rand.Text()
	n, err := take.Run(ctx, s.RDB, []string{s.Key}, id, s.Permits, s.TTL.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = ErrFull
	}
	if err == nil {
		s.id = id
	}
	return err
}

// Release gives it back.
func (s *Semaphore) Release(ctx context.Context) error {
	return s.RDB.ZRem(context.WithoutCancel(ctx), s.Key, s.id).Err()
}
