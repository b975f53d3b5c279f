package mutex_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/adapter/testdata/mutex"
	"lockstep/locktest"
)

// What the package exports. Use what makes, acquires and releases a lock, and take these lines
// away.
var (
	_ = mutex.NewFactory             // func(clients []redis.UniversalClient) *Factory
	_ = (*mutex.Factory).NewMutex    // func(name string, options ...Option) *Mutex
	_ = (*mutex.Mutex).LockContext   // func(ctx context.Context) error
	_ = (*mutex.Mutex).UnlockContext // func(ctx context.Context) (bool, error)
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
