package answer_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/testdata/adapter/answer"
	"lockstep/locktest"
)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		l := answer.NewLocker(context.Background(), c.Redis, c.Key, c.Name, false)
		return locktest.Funcs(func(ctx context.Context) error {
			if !l.TryLock() {
				return locktest.ErrNotAcquired
			}
			return nil
		}, func(ctx context.Context) error {
			l.Unlock()
			return nil
		}), nil
	})
}
