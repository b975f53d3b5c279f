// Package ticker has the commonest watchdog: a goroutine that selects between a channel, which
// the release closes, and a ticker.
//
// HOLDS, though the goroutine draws: with both ready, it ends or renews once more. That renewal
// compares the token, so it does nothing to a key that is gone or another's. hang: VIOLATED
// lock-recovers, as it renews for work that never ends.
package ticker

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of a Mutex.
var (
	ErrTaken = errors.New("ticker: taken")
	ErrLost  = errors.New("ticker: lost")
)

var (
	unlock = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)
	renew  = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`)
)

// A Mutex is renewed until it is unlocked.
type Mutex struct {
	Client *redis.Client
	Name   string
	TTL    time.Duration

	token string
	done  chan struct{}
}

// Lock takes the mutex, and starts its watchdog.
func (m *Mutex) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := m.Client.SetNX(ctx, m.Name, token, m.TTL).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrTaken
	}
	m.token, m.done = token, make(chan struct{})
	go m.watch(token, m.done)
	return nil
}

func (m *Mutex) watch(token string, done chan struct{}) {
	t := time.NewTicker(m.TTL / 3)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
			n, err := renew.Run(context.Background(), m.Client, []string{m.Name}, token, m.TTL.Milliseconds()).Int()
			if err == nil && n == 0 {
				return
			}
		}
	}
}

// Unlock ends the watchdog and gives the mutex back.
func (m *Mutex) Unlock(ctx context.Context) error {
	close(m.done)
	n, err := unlock.Run(context.WithoutCancel(ctx), m.Client, []string{m.Name}, m.token).Int()
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}
