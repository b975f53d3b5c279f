// Package getset takes the lock by GETSET with the time as its token, and gives it a TTL if
// nothing was there.
//
// VIOLATED foreign-renewal, with any hazard and with none: GETSET of a client that is refused
// writes over the holder's token and clears its TTL. Under overrun both may also have drawn the
// same time: then the release of one is equal-tokens, and with another time it is not.
package getset

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrHeld means that something was there.
var ErrHeld = errors.New("getset: held")

var free = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Mutex is a lock.
type Mutex struct {
	rdb       *redis.Client
	key, mine string
	ttl       time.Duration
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Mutex {
	return &Mutex{rdb: rdb, key: key, ttl: ttl}
}

// Lock tries once.
func (m *Mutex) Lock(ctx context.Context) error {
	mine := fmt.Sprint(time.Now().UnixNano())
	switch _, err := m.rdb.GetSet(ctx, m.key, mine).Result(); {
	case err == nil:
		return ErrHeld
	case !errors.Is(err, redis.Nil):
		return err
	}
	m.mine = mine
	return m.rdb.Expire(ctx, m.key, m.ttl).Err()
}

// Unlock releases it.
func (m *Mutex) Unlock(ctx context.Context) error {
	return free.Run(context.WithoutCancel(ctx), m.rdb, []string{m.key}, m.mine).Err()
}
