package field_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/testdata/adapter/field"
	"lockstep/locktest"
)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		l := &field.Lock{Redis: c.Redis, Key: c.Key, Owner: c.Name, TTL: c.TTL}
		return locktest.Funcs(func(ctx context.Context) error {
			return l.Lock(ctx)
		}, func(ctx context.Context) error {
			return l.Unlock(ctx)
		}), nil
	}, locktest.RefusedBy(field.ErrTaken), locktest.LostBy(field.ErrNotHeld))
}
