// Package seeded draws its tokens from a generator that it seeds by the second at which the
// process began.
//
// contention: HOLDS, tokens are only compared where leases are lost.
// overrun: VIOLATED by equal tokens: two processes that began in the same second draw the same
// tokens. A's lease ends, B acquires with the same token, and A's release, which compares,
// removes what B has.
package seeded

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("seeded: taken")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Locker is one for each process.
type Locker struct {
	rdb   *redis.Client
	rng   *rand.Rand
	token string
}

// New returns the Locker of a process.
func New(rdb *redis.Client) *Locker {
	return &Locker{rdb: rdb, rng: rand.New(rand.NewSource(time.Now().Unix()))}
}

// Lock acquires.
func (l *Locker) Lock(ctx context.Context, key string, ttl time.Duration) error {
	token := fmt.Sprintf("%016x", l.rng.Uint64())
	ok, err := l.rdb.SetNX(ctx, key, token, ttl).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	if err == nil {
		l.token = token
	}
	return err
}

// Unlock releases.
func (l *Locker) Unlock(ctx context.Context, key string) error {
	return unlock.Run(context.WithoutCancel(ctx), l.rdb, []string{key}, l.token).Err()
}
