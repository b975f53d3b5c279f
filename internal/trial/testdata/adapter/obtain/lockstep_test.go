package obtain_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/testdata/adapter/obtain"
	"lockstep/locktest"
)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		l := obtain.New(c.Redis)
		var held *obtain.Lock
		return locktest.Funcs(func(ctx context.Context) error {
			got, err := l.Obtain(ctx, c.Key, c.TTL, nil)
			if err == nil {
				held = got
			}
			return err
		}, func(ctx context.Context) error {
			return held.Release(ctx)
		}), nil
	}, locktest.RefusedBy(obtain.ErrNotObtained), locktest.LostBy(obtain.ErrLockNotHeld))
}
