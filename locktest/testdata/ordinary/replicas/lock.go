// Package replicas waits until a replica has the lock (WAIT) before it believes in it.
//
// Refused: "WAIT is not simulated". A node that answers 0 would make it fail each time.
package replicas

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("replicas: taken")

var del = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Lock is a lock that replicas have too.
type Lock struct {
	rdb        *redis.Client
	key, token string
	ttl        time.Duration
	replicas   int
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration, replicas int) *Lock {
	return &Lock{rdb: rdb, key: key, ttl: ttl, replicas: replicas, token: rand.Text()}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	ok, err := l.rdb.SetNX(ctx, l.key, l.token, l.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	n, err := l.rdb.Wait(ctx, l.replicas, 100*time.Millisecond).Result()
	if err == nil && int(n) < l.replicas {
		err = fmt.Errorf("%d of %d replicas have it", n, l.replicas)
	}
	if err != nil {
		return errors.Join(err, l.Unlock(ctx))
	}
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	return del.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.token).Err()
}
