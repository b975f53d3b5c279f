package answer_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/adapter/testdata/answer"
	"lockstep/locktest"
)

// What the package exports. Use what makes, acquires and releases a lock, and take these lines
// away.
var (
	_ = (answer.Locker).TryLock // func() bool
	_ = (answer.Locker).Unlock  // func()
	_ = answer.NewLocker        // func(ctx context.Context, client rds.UniversalClient, resource, value string, verbose bool) Locker
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
