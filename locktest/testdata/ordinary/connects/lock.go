// Package connects asks Redis whether it is there, and loads its script, before anybody locks.
//
// It is a right lock: HOLDS under every hazard. If New fails, its caller has no lock and does not begin; a
// script that the server has forgotten is sent again.
package connects

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that somebody else has the lock.
var ErrTaken = errors.New("connects: taken")

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Lock is a lock.
type Lock struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
}

// New returns a lock on a server that answers.
func New(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lock, error) {
	if err := rdb.Ping(ctx).Err(); err != nil {
		return nil, fmt.Errorf("no Redis: %v", err)
	}
	if err := release.Load(ctx, rdb).Err(); err != nil {
		return nil, fmt.Errorf("no script: %v", err)
	}
	return &Lock{rdb: rdb, key: key, ttl: ttl}, nil
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := l.rdb.SetNX(ctx, l.key, token, l.ttl).Result()
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
	return release.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
}
