package examples

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	redislock010 "github.com/bsm/redislock010"

	"lockstep/locktest"
)

// redislock094 is the quick start of its README.
func redislock094(c locktest.Client) (locktest.Lock, error) {
	return redislock094With(c, func() *redislock.Options { return nil })
}

// redislock094Retry is its example of a retry. A strategy counts, so that each Obtain
// has one of its own.
func redislock094Retry(c locktest.Client) (locktest.Lock, error) {
	return redislock094With(c, func() *redislock.Options {
		return &redislock.Options{RetryStrategy: redislock.LimitRetry(redislock.LinearBackoff(100*time.Millisecond), 3)}
	})
}

func redislock094With(c locktest.Client, options func() *redislock.Options) (locktest.Lock, error) {
	locker := redislock.New(c.Redis)
	var lock *redislock.Lock
	return locktest.Funcs(func(ctx context.Context) error {
		l, err := locker.Obtain(ctx, c.Key, c.TTL, options())
		if errors.Is(err, redislock.ErrNotObtained) {
			return locktest.ErrNotAcquired
		}
		if err == nil {
			lock = l
		}
		return err
	}, func(ctx context.Context) error {
		err := lock.Release(context.WithoutCancel(ctx))
		if errors.Is(err, redislock.ErrLockNotHeld) {
			return locktest.ErrLost
		}
		return err
	}), nil
}

// redislock0100 is the quick start of its README.
func redislock0100(c locktest.Client) (locktest.Lock, error) {
	return &redislock0100Lock{Client: c, locker: redislock010.New(c.Redis)}, nil
}

type redislock0100Lock struct {
	locktest.Client
	locker *redislock010.Client
	lock   *redislock010.Lock
}

func (l *redislock0100Lock) Lock(ctx context.Context) error {
	lock, err := l.locker.Obtain(ctx, l.Key, l.TTL, nil)
	if errors.Is(err, redislock010.ErrNotObtained) {
		return locktest.ErrNotAcquired
	}
	if err == nil {
		l.lock = lock
	}
	return err
}

func (l *redislock0100Lock) Unlock(ctx context.Context) error {
	err := l.lock.Release(context.WithoutCancel(ctx))
	if errors.Is(err, redislock010.ErrLockNotHeld) {
		return locktest.ErrLost
	}
	return err
}

// redislock0100Watchdog is the external watchdog of its README: the work has a
// context that ends with a refresh that fails.
func redislock0100Watchdog(c locktest.Client) (locktest.Lock, error) {
	return &redislock0100Watched{redislock0100Lock: redislock0100Lock{Client: c, locker: redislock010.New(c.Redis)}}, nil
}

type redislock0100Watched struct {
	redislock0100Lock
	renewal
}

func (l *redislock0100Watched) Lock(ctx context.Context) error {
	if err := l.redislock0100Lock.Lock(ctx); err != nil {
		return err
	}
	lock := l.lock
	l.begin(ctx, l.TTL, func(work context.Context) bool { return lock.Refresh(work, l.TTL, nil) == nil })
	return nil
}

func (l *redislock0100Watched) Unlock(ctx context.Context) error {
	l.stop()
	return l.redislock0100Lock.Unlock(ctx)
}
