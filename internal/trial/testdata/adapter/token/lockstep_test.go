package token_test

import (
	"context"
	"testing"

	"lockstep/internal/trial/testdata/adapter/token"
	"lockstep/locktest"
)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		l, err := token.New(c.Redis, c.Key)
		if err != nil {
			return nil, err
		}
		var token string
		return locktest.Funcs(func(ctx context.Context) error {
			got, err := l.Acquire(ctx, c.Key, c.TTL, 0)
			if err == nil {
				token = got
			}
			return err
		}, func(ctx context.Context) error {
			ok, err := l.Release(ctx, c.Key, token)
			if err == nil && !ok {
				err = locktest.ErrLost
			}
			return err
		}), nil
	}, locktest.RefusedBy(token.ErrLockFailed))
}
