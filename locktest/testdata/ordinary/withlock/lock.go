// Package withlock is row 5: a right lock that runs a function while it has the lock, and
// releases by defer.
//
// HOLDS: the token is fresh and the release compares. Its error is that of the function, and
// what the release says is dropped: see package errtext.
package withlock

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrNotAcquired means that f did not run.
var ErrNotAcquired = errors.New("withlock: not acquired")

// Do runs f and returns its result.
func Do[T any](ctx context.Context, rdb redis.UniversalClient, key string, ttl time.Duration, f func(context.Context) (T, error)) (result T, err error) {
	token := rand.Text()
	ok, err := rdb.SetNX(ctx, key, token, ttl).Result()
	if err != nil {
		return result, err
	}
	if !ok {
		return result, ErrNotAcquired
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = rdb.Eval(ctx, `if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("del", KEYS[1]) end`, []string{key}, token).Err()
	}()
	return f(ctx)
}
