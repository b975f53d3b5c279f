// Package subscribes is row 6: a right lock that waits for a message of the holder, and looks
// by itself once a lease.
//
// HOLDS: it looks again after its subscription is confirmed, so no message is missed, and a lost
// one delays it for a lease only. reentry as in package polls.
package subscribes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("DEL", KEYS[1])
redis.call("PUBLISH", KEYS[1] .. ":free", "1")
return 1`)

// ErrLost means that the lock was not the caller's.
var ErrLost = errors.New("lost")

// Lock waits for a lock and returns the function that releases it.
func Lock(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (func(context.Context) error, error) {
	token := rand.Text()
	try := func() (bool, error) { return rdb.SetNX(ctx, key, token, ttl).Result() }
	ok, err := try()
	if err == nil && !ok {
		sub := rdb.Subscribe(ctx, key+":free")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			return nil, fmt.Errorf("subscribe: %w", err)
		}
		for ok, err = try(); err == nil && !ok; ok, err = try() {
			select {
			case <-sub.Channel():
			case <-time.After(ttl):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		n, err := release.Run(context.WithoutCancel(ctx), rdb, []string{key}, token).Int()
		if err == nil && n == 0 {
			return ErrLost
		}
		return err
	}, nil
}
