// Package field has a lock that is a struct.
package field

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	ErrTaken   = errors.New("taken")
	ErrNotHeld = errors.New("not held")
)

type Lock struct {
	Redis      *redis.Client
	Key, Owner string
	RetryDelay time.Duration
	TTL        time.Duration
}

func (l *Lock) Lock(ctx context.Context) error   { return ErrTaken }
func (l *Lock) Unlock(ctx context.Context) error { return ErrNotHeld }
