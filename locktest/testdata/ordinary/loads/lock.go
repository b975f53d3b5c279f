// Package loads loads its script once, and then calls it by its sum alone.
//
// contention, late-request: HOLDS, the script is there.
// node-restart, script-flush: VIOLATED leak: the server has forgotten the script, NOSCRIPT is an error of
// Unlock, and the key stays.
package loads

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that somebody else has the lock.
var ErrTaken = errors.New("loads: taken")

const release = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// Lock is a lock.
type Lock struct {
	rdb             *redis.Client
	key, token, sum string
	ttl             time.Duration
}

// New returns a lock.
func New(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lock, error) {
	sum, err := rdb.ScriptLoad(ctx, release).Result()
	return &Lock{rdb: rdb, key: key, ttl: ttl, sum: sum}, err
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
	return l.rdb.EvalSha(context.WithoutCancel(ctx), l.sum, []string{l.key}, l.token).Err()
}
