// Package clocktoken is row 9: the token is what the clock shows, in milliseconds or in
// nanoseconds. Else it is right.
//
// contention: HOLDS, tokens are only compared where a lease is lost.
// overrun: VIOLATED by equal tokens. A and B look at their clocks at the same moment, and B's SET
// is late by a lease: it finds the key free. Then A's release, which compares, removes what B has:
// not for want of a comparison, but since both tokens are the same.
package clocktoken

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("taken")

var del = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

// Lock has a token by the clock.
type Lock struct {
	Redis *redis.Client
	Key   string
	TTL   time.Duration
	Unit  time.Duration // of the clock
	token string
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := strconv.FormatInt(time.Now().UnixNano()/int64(l.Unit), 10)
	ok, err := l.Redis.SetNX(ctx, l.Key, token, l.TTL).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	if err == nil {
		l.token = token
	}
	return err
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return del.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, l.token).Err()
}
