// Package pipeget sends SET NX and GET in one pipeline, and has acquired if it reads its own
// token.
//
// HOLDS. Between the two commands others may do what they like: who reads its own fresh token
// was the last to write it. Its lease may have ended by the time it reads; then so it may with a
// lock that only sends SET.
package pipeget

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrContended means that the token that was read is another's.
var ErrContended = errors.New("contended")

type conf struct {
	ttl  time.Duration
	size int
}

// Opt is an option of New.
type Opt func(*conf)

// TTL sets the length of a lease; else it is a minute.
func TTL(d time.Duration) Opt { return func(c *conf) { c.ttl = d } }

// Locker locks one key.
type Locker struct {
	conf
	rdb   *redis.Client
	key   string
	token string
}

// New returns a Locker.
func New(rdb *redis.Client, key string, opts ...Opt) *Locker {
	l := &Locker{conf{time.Minute, 12}, rdb, key, ""}
	for _, o := range opts {
		o(&l.conf)
	}
	return l
}

// Lock acquires.
func (l *Locker) Lock(ctx context.Context) error {
	b := make([]byte, l.size)
	_, _ = rand.Read(b)
	token := base64.RawURLEncoding.EncodeToString(b)
	pipe := l.rdb.Pipeline()
	pipe.SetNX(ctx, l.key, token, l.ttl)
	get := pipe.Get(ctx, l.key)
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	if get.Val() != token {
		return ErrContended
	}
	l.token = token
	return nil
}

var unlock = redis.NewScript(`return redis.call("GET", KEYS[1]) == ARGV[1] and redis.call("DEL", KEYS[1])`)

// Unlock releases.
func (l *Locker) Unlock(ctx context.Context) error {
	err := unlock.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
	if errors.Is(err, redis.Nil) { // false
		return ErrContended
	}
	return err
}
