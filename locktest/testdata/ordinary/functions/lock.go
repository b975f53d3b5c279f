// Package functions has its scripts in a library of the server (Redis 7.0), which it loads when
// the server does not have it.
//
// Refused: "FCALL is not simulated".
package functions

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const library = `#!lua name=locks
redis.register_function('lock', function(keys, args)
	return redis.call('SET', keys[1], args[1], 'NX', 'PX', args[2]) and 1 or 0
end)
redis.register_function('unlock', function(keys, args)
	return redis.call('GET', keys[1]) == args[1] and redis.call('DEL', keys[1]) or 0
end)`

// ErrNo means that the function said no.
var ErrNo = errors.New("functions: no")

// Locker calls the library.
type Locker struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
}

// New returns a Locker.
func New(rdb *redis.Client, key string, ttl time.Duration) *Locker {
	return &Locker{rdb: rdb, key: key, ttl: ttl}
}

func (l *Locker) call(ctx context.Context, name string, args ...any) error {
	n, err := l.rdb.FCall(ctx, name, []string{l.key}, args...).Int()
	if err != nil && strings.Contains(err.Error(), "Function not found") {
		if err := l.rdb.FunctionLoadReplace(ctx, library).Err(); err != nil {
			return err
		}
		n, err = l.rdb.FCall(ctx, name, []string{l.key}, args...).Int()
	}
	if err == nil && n == 0 {
		err = ErrNo
	}
	return err
}

// Lock acquires.
func (l *Locker) Lock(ctx context.Context) error {
	l.token = rand.Text()
	return l.call(ctx, "lock", l.token, l.ttl.Milliseconds())
}

// Unlock releases.
func (l *Locker) Unlock(ctx context.Context) error {
	return l.call(context.WithoutCancel(ctx), "unlock", l.token)
}
