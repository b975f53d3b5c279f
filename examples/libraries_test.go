// Package examples tries lock libraries as their own documentation shows them.
package examples

import (
	"context"
	"errors"
	"testing"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"lockstep/locktest"
)

func TestRedislock(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		locker := redislock.New(c.Redis)
		var lock *redislock.Lock
		return locktest.Funcs(func(ctx context.Context) error {
			l, err := locker.Obtain(ctx, c.Key, c.TTL, nil)
			if errors.Is(err, redislock.ErrNotObtained) {
				return locktest.ErrNotAcquired
			}
			if err == nil {
				lock = l
			}
			return err
		}, func(ctx context.Context) error {
			err := lock.Release(ctx)
			if errors.Is(err, redislock.ErrLockNotHeld) {
				return locktest.ErrLost
			}
			return err
		}), nil
	})
}

func redsyncLock(c locktest.Client) (locktest.Lock, error) {
	var pools []redsyncredis.Pool
	for _, n := range c.Nodes {
		pools = append(pools, goredis.NewPool(n))
	}
	m := redsync.New(pools...).NewMutex(c.Key, redsync.WithExpiry(c.TTL), redsync.WithTries(1))
	return locktest.Funcs(func(ctx context.Context) error {
		err := m.LockContext(ctx)
		var taken *redsync.ErrTaken
		if errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
			return locktest.ErrNotAcquired
		}
		return err
	}, func(ctx context.Context) error {
		ok, err := m.UnlockContext(ctx)
		if err == nil && !ok {
			return locktest.ErrLost
		}
		return err
	}), nil
}

func TestRedsync(t *testing.T) { locktest.Check(t, redsyncLock) }

func TestRedsyncThree(t *testing.T) {
	locktest.Check(t, redsyncLock, locktest.Nodes(3), locktest.AcceptSampled("three nodes asked side by side are too many orders"))
}
