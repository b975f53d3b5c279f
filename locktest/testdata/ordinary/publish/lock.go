// Package publish is row 4: a right lock that tells a channel after its compare-and-delete.
//
// HOLDS, as it would without the PUBLISH: the release is over when the script has run. That a
// SET whose reply was lost arrives late, or a replica misses the DEL, is what each lease has
// to live with, be it before or after another command of Unlock.
package publish

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBusy means that another process has the lock.
var ErrBusy = errors.New("busy")

var unlock = redis.NewScript(`
if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("del", KEYS[1])
return 1`)

// RedisLock is not for concurrent use.
type RedisLock struct {
	rdb   *redis.Client
	name  string
	ttl   time.Duration
	value string
}

// NewRedisLock returns an open lock.
func NewRedisLock(rdb *redis.Client, name string, ttl time.Duration) *RedisLock {
	return &RedisLock{rdb: rdb, name: name, ttl: ttl}
}

// Acquire tries once.
func (r *RedisLock) Acquire(ctx context.Context) error {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return err
	}
	value := hex.EncodeToString(b)
	ok, err := r.rdb.SetNX(ctx, r.name, value, r.ttl).Result()
	if err == nil && !ok {
		err = ErrBusy
	}
	if err != nil {
		return err
	}
	r.value = value
	return nil
}

// Release frees the lock and tells those who listen.
func (r *RedisLock) Release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := unlock.Run(ctx, r.rdb, []string{r.name}, r.value).Err(); err != nil {
		return err
	}
	return r.rdb.Publish(ctx, r.name+":released", r.value).Err()
}
