package locktest_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/locktest"
)

// A goodLock is what a careful tutorial ends with.
type goodLock struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
	token string
}

var release = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

func (l *goodLock) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := l.redis.SetNX(ctx, l.key, token, l.ttl).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return locktest.ErrNotAcquired
	}
	l.token = token
	return nil
}

func (l *goodLock) Unlock(ctx context.Context) error {
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return locktest.ErrLost
	}
	return err
}

func TestGood(t *testing.T) {
	hazards := testkit.Some(t, []locktest.Hazard{
		locktest.Contention, locktest.Partition, locktest.Crash, locktest.Overrun, locktest.Hang, locktest.ClientClock, locktest.LostReply,
		locktest.LateRequest, locktest.Reentry, locktest.Failover, locktest.NodeRestart, locktest.NodeClock, locktest.Eviction, locktest.ScriptFlush,
	}, 5, 3)
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		return &goodLock{redis: c.Redis, key: c.Key, ttl: c.TTL}, nil
	}, locktest.Hazards(hazards...))
}
