package examples

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"lockstep/locktest"
)

// redsyncLock is the usage of its README, on as many nodes as there are.
func redsyncLock(options ...redsync.Option) locktest.Factory {
	return func(c locktest.Client) (locktest.Lock, error) {
		m := redsyncMutex(c, options...)
		return locktest.Funcs(
			func(ctx context.Context) error { return redsyncRefusal(m.LockContext(ctx)) },
			func(ctx context.Context) error { return redsyncUnlock(ctx, m) },
		), nil
	}
}

// redsyncTry tries once, by TryLock.
func redsyncTry(c locktest.Client) (locktest.Lock, error) {
	m := redsyncMutex(c, redsync.WithExpiry(c.TTL))
	return locktest.Funcs(
		func(ctx context.Context) error { return redsyncRefusal(m.TryLockContext(ctx)) },
		func(ctx context.Context) error { return redsyncUnlock(ctx, m) },
	), nil
}

func redsyncMutex(c locktest.Client, options ...redsync.Option) *redsync.Mutex {
	var pools []redsyncredis.Pool
	for _, n := range c.Nodes {
		pools = append(pools, goredis.NewPool(n))
	}
	return redsync.New(pools...).NewMutex(c.Key, options...)
}

func redsyncRefusal(err error) error {
	var taken *redsync.ErrTaken
	if errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
		return locktest.ErrNotAcquired
	}
	return err
}

func redsyncUnlock(ctx context.Context, m *redsync.Mutex) error {
	ok, err := m.UnlockContext(context.WithoutCancel(ctx))
	if err == nil && !ok || errors.Is(err, redsync.ErrLockAlreadyExpired) {
		return locktest.ErrLost
	}
	return err
}

// redsyncExtending extends the lease in the background, thrice in its time, and
// tells the work when it could not.
func redsyncExtending(options ...redsync.Option) locktest.Factory {
	return func(c locktest.Client) (locktest.Lock, error) {
		return &redsyncExtended{ttl: c.TTL, mutex: redsyncMutex(c, append(options, redsync.WithExpiry(c.TTL))...)}, nil
	}
}

type redsyncExtended struct {
	ttl   time.Duration
	mutex *redsync.Mutex
	renewal
}

func (l *redsyncExtended) Lock(ctx context.Context) error {
	if err := redsyncRefusal(l.mutex.TryLockContext(ctx)); err != nil {
		return err
	}
	l.begin(ctx, l.ttl, func(work context.Context) bool {
		ok, err := l.mutex.ExtendContext(work)
		return err == nil && ok
	})
	return nil
}

func (l *redsyncExtended) Unlock(ctx context.Context) error {
	l.stop()
	return redsyncUnlock(ctx, l.mutex)
}
