// Package prefix is row 3: a right lock that puts "locks:" before the name of the resource.
//
// HOLDS: a fresh token, kept only on success, and one script that compares and deletes. Which
// key it is makes no difference to anybody, since all clients use the same one.
package prefix

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// What Lock and Unlock return if the lock is another's.
var (
	ErrTaken = errors.New("taken")
	ErrLost  = errors.New("lost")
)

const namespace = "locks:"

var cad = redis.NewScript(`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`)

// A Lock is the lock of a resource.
type Lock struct {
	client *redis.Client
	key    string
	ttl    time.Duration
	token  string
}

// New returns the lock of a resource.
func New(client *redis.Client, resource string, ttl time.Duration) *Lock {
	return &Lock{client: client, key: namespace + resource, ttl: ttl}
}

// Lock acquires it.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	switch ok, err := l.client.SetNX(ctx, l.key, token, l.ttl).Result(); {
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	case !ok:
		return ErrTaken
	}
	l.token = token
	return nil
}

// Unlock releases it.
func (l *Lock) Unlock(ctx context.Context) error {
	n, err := cad.Run(context.WithoutCancel(ctx), l.client, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}
