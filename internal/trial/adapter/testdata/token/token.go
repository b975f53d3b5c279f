// Package token has a locker that returns tokens.
package token

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrLockFailed = errors.New("failed")

type Locker struct{ rdb redis.Cmdable }

func New(rdb redis.Cmdable, prefix string) (*Locker, error) { return &Locker{rdb}, nil }

func (l *Locker) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (string, error) {
	return "", ErrLockFailed
}

func (l *Locker) Release(ctx context.Context, key, token string) (bool, error) { return true, nil }
