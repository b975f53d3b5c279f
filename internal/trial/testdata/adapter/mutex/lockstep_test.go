package mutex_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"lockstep/internal/trial/testdata/adapter/mutex"
	"lockstep/locktest"
)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		maker := mutex.NewFactory([]redis.UniversalClient{c.Redis})
		l := maker.NewMutex(c.Key)
		return locktest.Funcs(func(ctx context.Context) error {
			return l.LockContext(ctx)
		}, func(ctx context.Context) error {
			ok, err := l.UnlockContext(ctx)
			if err == nil && !ok {
				err = locktest.ErrLost
			}
			return err
		}), nil
	})
}
