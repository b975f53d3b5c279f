package lease_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/adapter/testdata/lease"
	"lockstep/locktest"
)

// What the package exports. Use what makes, acquires and releases a lock, and take these lines
// away.
var (
	_ = lease.NewLease            // func(client *redis.Client, key string) *Lease
	_ = (*lease.Lease).TryAcquire // func(ctx context.Context) error
	_ = (*lease.Lease).Release    // func(ctx context.Context) error
// lease.Do // func(ctx context.Context, l *Lease, f func(context.Context) (T, error)) (T, error)
)

func TestUnderLockstep(t *testing.T) {
	t.Fatal("fill in what is marked with FILL IN, and take this line away")

	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		// FILL IN: make the lock of one client. All that it uses comes from c: c.Redis (or c.Nodes),
		// c.Key, c.TTL.

		return locktest.Funcs(
			func(ctx context.Context) error {
				// FILL IN: acquire, and return the lock's own error; locktest.ErrNotAcquired for a false.
				return nil
			},
			func(ctx context.Context) error {
				// FILL IN: release, and return the lock's own error; locktest.ErrLost for a false.
				return nil
			},
		), nil
	})
}
