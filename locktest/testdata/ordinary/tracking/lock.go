// Package tracking is row 7: it asks the server to be told when the key changes (CLIENT
// TRACKING), before it acquires.
//
// Refused: "CLIENT TRACKING is not simulated". Redis would answer OK; whatever else came of it
// would be Lockstep's fault.
package tracking

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("taken")

// T is a lock that is told.
type T struct {
	R     *redis.Client
	Key   string
	TTL   time.Duration
	token string
}

// Lock acquires.
func (t *T) Lock(ctx context.Context) error {
	if err := t.R.Do(ctx, "CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", t.Key).Err(); err != nil {
		return err
	}
	t.token = rand.Text()
	ok, err := t.R.SetNX(ctx, t.Key, t.token, t.TTL).Result()
	if err == nil && !ok {
		err = ErrTaken
	}
	return err
}

// Unlock releases.
func (t *T) Unlock(ctx context.Context) error {
	return t.R.Eval(ctx, `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`,
		[]string{t.Key}, t.token).Err()
}
