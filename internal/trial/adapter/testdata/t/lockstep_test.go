package t_test

import (
	"context"
	"testing"

	own "lockstep/internal/trial/adapter/testdata/t"
	"lockstep/locktest"
)

// What the package exports. Use what makes, acquires and releases a lock, and take these lines
// away.
var (
	_ = own.Lock   // func() error
	_ = own.Unlock // func()
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
	}, locktest.RefusedBy(
		// FILL IN: which of these say "somebody else has it"? They stay. Those that say "it is not
		// yours any more" belong in locktest.LostBy(...). Take the rest away.
		own.ErrTaken,
	))
}
