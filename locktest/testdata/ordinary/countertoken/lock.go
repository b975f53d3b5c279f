// Package countertoken takes the number of the acquisition, counted by Redis, for its token.
//
// contention, overrun: HOLDS, no number comes twice. eviction: HOLDS, it takes the lock's key,
// and the counter stays.
// node-restart: VIOLATED, the counter begins anew: A has number 1, the node forgets all, B gets
// number 1 too, and A's release takes it for its own. failover: VIOLATED, so it does on a replica
// that has not received the script's writes. The two tokens are equal.
package countertoken

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("countertoken: taken")

var (
	acquire = redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
local n = redis.call("INCR", KEYS[1] .. ":n")
redis.call("SET", KEYS[1], n, "PX", ARGV[1])
return n`)
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Lock is a lock with a number.
type Lock struct {
	rdb *redis.Client
	key string
	ttl time.Duration
	n   int64
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	n, err := acquire.Run(ctx, l.rdb, []string{l.key}, l.ttl.Milliseconds()).Int64()
	if err == nil && n == 0 {
		err = ErrTaken
	}
	if err == nil {
		l.n = n
	}
	return err
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return release.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.n).Err()
}
