// Package impatient takes a holder for dead that has less than half of its lease left, since
// a live one would have renewed by then. Its holders do not renew.
//
// contention: VIOLATED phantom-hold: work for longer than half of a lease is within the promise.
package impatient

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrAlive means that the holder has most of its lease before it.
var ErrAlive = errors.New("impatient: the holder is alive")

var (
	take = redis.NewScript(`
if redis.call("PTTL", KEYS[1]) > tonumber(ARGV[2]) / 2 then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`)
	leave = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Lock is a lock on a key.
type Lock struct {
	rdb        *redis.Client
	key, token string
	ttl        time.Duration
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	took, err := take.Run(ctx, l.rdb, []string{l.key}, token, l.ttl.Milliseconds()).Bool()
	switch {
	case err != nil:
		return err
	case !took:
		return ErrAlive
	}
	l.token = token
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return leave.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
}
