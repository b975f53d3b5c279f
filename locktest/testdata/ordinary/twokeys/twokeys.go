// Package twokeys has a second key beside the lock, for people who look: who took it, and when it
// will end. Both come and go in one step.
//
// HOLDS.
package twokeys

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of the lock.
var (
	ErrNotFree  = errors.New("twokeys: not free")
	ErrNotOwner = errors.New("twokeys: not the owner")
)

var (
	take = redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[3])
redis.call("SET", KEYS[2], ARGV[2], "PX", ARGV[3])
return 1`)
	give = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1], KEYS[2])`)
)

// Lock is a lock and its label.
type Lock struct {
	rdb         redis.Scripter
	keys        []string
	token, name string
	ttl         time.Duration
}

// New returns a lock.
func New(rdb redis.Scripter, key, name string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, keys: []string{key, key + ":by"}, name: name, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	n, err := take.Run(ctx, l.rdb, l.keys, token, l.name, l.ttl.Milliseconds()).Int()
	switch {
	case err != nil:
		return err
	case n == 0:
		return ErrNotFree
	}
	l.token = token
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	n, err := give.Run(context.WithoutCancel(ctx), l.rdb, l.keys, l.token).Int()
	if err == nil && n == 0 {
		err = ErrNotOwner
	}
	return err
}
