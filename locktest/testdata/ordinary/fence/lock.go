// Package fence counts its acquisitions, in the script that acquires; the count is the fencing
// token. The resource refuses older ones.
//
// HOLDS. overrun: two may be inside, that is allowed, but no stale write and no lost update is
// there to be allowed: the later holder has the greater token, and the resource has seen it.
package fence

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("fence: taken")

var (
	acquire = redis.NewScript(`
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 0 end
return redis.call("INCR", KEYS[2])`)
	release = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`)
)

// Lock has a fencing token while it is held.
type Lock struct {
	rdb   *redis.Client
	keys  []string
	ttl   time.Duration
	token string
	fence int64
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, keys: []string{key, key + ":fence"}, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	n, err := acquire.Run(ctx, l.rdb, l.keys, token, l.ttl.Milliseconds()).Int64()
	if err == nil && n == 0 {
		err = ErrTaken
	}
	if err == nil {
		l.token, l.fence = token, n
	}
	return err
}

// Fence is to go with each write.
func (l *Lock) Fence() int64 { return l.fence }

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return release.Run(context.WithoutCancel(ctx), l.rdb, l.keys[:1], l.token).Err()
}
