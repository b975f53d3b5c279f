package obtain_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/adapter/testdata/obtain"
	"lockstep/locktest"
)

// What the package exports. Use what makes, acquires and releases a lock, and take these lines
// away.
var (
	_ = obtain.New              // func(client RedisClient) *Client
	_ = (*obtain.Client).Obtain // func(ctx context.Context, key string, ttl time.Duration, opt *Options) (*Lock, error)
	_ = (*obtain.Lock).Refresh  // func(ctx context.Context, ttl time.Duration, opt *Options) error
	_ = (*obtain.Lock).Release  // func(ctx context.Context) error
)

func TestUnderLockstep(t *testing.T) {
	t.Fatal("fill in what is marked with FILL IN, and take this line away")

	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		// FILL IN: make the lock of one client. All that it uses comes from c: c.Redis (or c.Nodes),
		// c.Key, c.TTL.

		// What an acquisition returned. One that is refused must not overwrite it.
		var held *obtain.Lock

		return locktest.Funcs(
			func(ctx context.Context) error {
				// FILL IN: acquire, and return the lock's own error; locktest.ErrNotAcquired for a false.
				//	got, err := ...
				//	if err == nil {
				//		held = got
				//	}
				//	return err
				return nil
			},
			func(ctx context.Context) error {
				// FILL IN: release, and return the lock's own error; locktest.ErrLost for a false.
				_ = held
				return nil
			},
		), nil
	}, locktest.RefusedBy(
		// FILL IN: which of these say "somebody else has it"? They stay. Those that say "it is not
		// yours any more" belong in locktest.LostBy(...). Take the rest away.
		obtain.ErrNotObtained,
		obtain.ErrLockNotHeld,
	))
}
