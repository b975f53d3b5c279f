// Package hsetex has the owner in a field that ends by itself: HSETEX FNX of Redis 8.0 or Valkey 9.0.
//
// HOLDS. FNX writes the field only if it is not there, and its deadline in the same command, so
// that no crash comes between the two. The release compares and deletes inside Redis. The hash has
// no other field: it ends with this one.
//
// With Commit, which reads the owner by HGETEX and makes the lease whole in one command, and
// compares after that: as package getex. contention: HOLDS, the lease is its own then.
// node-restart, eviction: VIOLATED foreign-renewal: the node loses A's hash, B acquires, and at 2 s
// A makes B's lease longer. Not equal-tokens: each has drawn its own, "owner" is a name.
package hsetex

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// The lock is another's.
var (
	ErrTaken = errors.New("hsetex: taken")
	ErrLost  = errors.New("hsetex: lost")
)

const owner = "owner"

var release = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'owner')`)

// A Lease is of one holder.
type Lease struct {
	rdb   *redis.Client
	key   string
	token string
	ttl   time.Duration
}

// Acquire takes the lock.
func Acquire(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lease, error) {
	l := &Lease{rdb: rdb, key: key, token: rand.Text(), ttl: ttl}
	set, err := rdb.HSetEXWithArgs(ctx, key, &redis.HSetEXOptions{
		Condition: redis.HSetEXFNX, ExpirationType: redis.HSetEXExpirationPX, ExpirationVal: ttl.Milliseconds(),
	}, owner, l.token).Result()
	if err != nil {
		return nil, err
	}
	if set == 0 {
		return nil, ErrTaken
	}
	return l, nil
}

// Release gives it back.
func (l *Lease) Release(ctx context.Context) error {
	n, err := release.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}

// Commit makes sure of a whole lease, and releases.
func (l *Lease) Commit(ctx context.Context) error {
	options := redis.HGetEXOptions{ExpirationType: redis.HGetEXExpirationPX, ExpirationVal: l.ttl.Milliseconds()}
	is, err := l.rdb.HGetEXWithArgs(context.WithoutCancel(ctx), l.key, &options, owner).Result()
	if err != nil {
		return err
	}
	if is[0] != l.token {
		return ErrLost
	}
	return l.Release(ctx)
}
