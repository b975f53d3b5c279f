package examples

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// A guarded lock renews itself. A mutex guards its token, and is held while a command
// is on its way, as in many locks: the renewal and the release wait for each other.
type guarded struct {
	redis *redis.Client
	key   string
	ttl   time.Duration

	mu    sync.Mutex
	token string
	stop  chan struct{}
}

var (
	errTaken = errors.New("taken")
	errGone  = errors.New("gone")
	release  = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
	renew    = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)
)

func (l *guarded) Lock(ctx context.Context, token string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ok, err := l.redis.SetNX(ctx, l.key, token, l.ttl).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return errTaken
	}
	l.token, l.stop = token, make(chan struct{})
	go l.watch(l.stop)
	return nil
}

func (l *guarded) watch(stop chan struct{}) {
	tick := time.NewTicker(l.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			l.mu.Lock()
			if l.token != "" {
				_ = renew.Run(context.Background(), l.redis, []string{l.key}, l.token, l.ttl.Milliseconds()).Err() // the next may succeed
			}
			l.mu.Unlock()
		}
	}
}

func (l *guarded) Unlock(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.stop)
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.token).Int()
	l.token = ""
	if err == nil && n == 0 {
		return errGone
	}
	return err
}

// TestMutex: code may wait for a mutex that another goroutine of its client holds while
// a command is on its way.
func TestMutex(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		l := &guarded{redis: c.Redis, key: c.Key, ttl: c.TTL}
		return locktest.Funcs(func(ctx context.Context) error { return l.Lock(ctx, c.Name) }, l.Unlock), nil
	}, locktest.Hazards(locktest.ClientClock, locktest.Partition), locktest.RefusedBy(errTaken), locktest.LostBy(errGone))
}

// What belongs to a process, and so to one client: a number for each acquisition, and a
// client for each lock.
var (
	serial  atomic.Int64
	clients = map[string]*redis.Client{}
)

// TestPackageVariables: each client has package variables of its own, and each run begins
// with their first values.
func TestPackageVariables(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		if clients[c.Key] == nil {
			clients[c.Key] = c.Redis
		}
		var token string
		return locktest.Funcs(func(ctx context.Context) error {
			mine := fmt.Sprintf("%s-%d", c.Name, serial.Add(1))
			ok, err := clients[c.Key].SetNX(ctx, c.Key, mine, c.TTL).Result()
			switch {
			case err != nil:
				return err
			case !ok:
				return errTaken
			}
			token = mine
			return nil
		}, func(ctx context.Context) error {
			n, err := release.Run(ctx, clients[c.Key], []string{c.Key}, token).Int()
			if err == nil && n == 0 {
				return errGone
			}
			return err
		}), nil
	}, locktest.Hazards(locktest.Contention, locktest.LateRequest), locktest.RefusedBy(errTaken), locktest.LostBy(errGone))
}
