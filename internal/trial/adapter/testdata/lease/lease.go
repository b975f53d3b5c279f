// Package lease has a lock that a function makes, not acquires, and a function for any result.
package lease

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type Lease struct{}

func NewLease(client *redis.Client, key string) *Lease { return &Lease{} }

func (l *Lease) TryAcquire(ctx context.Context) error { return nil }

func (l *Lease) Release(ctx context.Context) error { return nil }

func Do[T any](ctx context.Context, l *Lease, f func(context.Context) (T, error)) (T, error) {
	return f(ctx)
}
