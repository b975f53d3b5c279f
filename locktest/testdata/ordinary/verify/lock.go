// Package verify looks, after an error of its SET, whether the lock is its own nonetheless; and
// it cleans up if it cannot tell.
//
// HOLDS. lost-reply: the SET was executed, GET shows the own token, and the lock is acquired.
// late-request: GET finds nothing and the SET arrives afterwards: a lease of its own that it does
// not know of, up to the TTL, as with any lock.
package verify

import (
	"context"
	"crypto/rand"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrConflict means that the key has another value.
var ErrConflict = errors.New("verify: conflict")

var remove = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Guard guards a resource.
type Guard struct {
	rdb        *redis.Client
	key, value string
	ttl        time.Duration
}

// New returns a Guard.
func New(rdb *redis.Client, key string, ttl time.Duration) *Guard {
	return &Guard{rdb: rdb, key: key, ttl: ttl}
}

// Enter acquires.
func (g *Guard) Enter(ctx context.Context) error {
	value := rand.Text()
	ok, err := g.rdb.SetNX(ctx, g.key, value, g.ttl).Result()
	if err != nil {
		log.Printf("verify: SET: %v; looking", err)
		var got string
		got, err = g.rdb.Get(ctx, g.key).Result()
		ok = err == nil && got == value
		if errors.Is(err, redis.Nil) {
			err = nil
		}
	}
	switch {
	case err != nil:
		_ = remove.Run(context.WithoutCancel(ctx), g.rdb, []string{g.key}, value).Err()
		return err
	case !ok:
		return ErrConflict
	}
	g.value = value
	return nil
}

// Leave releases.
func (g *Guard) Leave(ctx context.Context) error {
	n, err := remove.Run(context.WithoutCancel(ctx), g.rdb, []string{g.key}, g.value).Int()
	if err == nil && n == 0 {
		err = ErrConflict
	}
	return err
}
