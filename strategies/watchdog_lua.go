package strategies

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// WatchdogLua renews its own lease in the background, for a limited time, and
// cancels the grant's context when the lease is lost.
//
// Claim:  "The lease lasts as long as the work, and a worker that loses it is told."
// Breaks: a paused process pauses its watchdog too, and wakes up without a lease.
// See:    stories/a_pause_beats_every_lease.txt
// Fix:    fenced
type WatchdogLua struct {
	Env
	stop map[string]context.CancelFunc // by token
}

// maxLeases bounds how long a worker that hangs can keep the lock.
const maxLeases = 10

var renewIfEquals = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)

func (l *WatchdogLua) Lock(ctx context.Context) (Grant, error) {
	token, start := l.Token(), l.Clock.Now()
	err := l.Redis.Do(ctx, "SET", l.Key, token, "NX", "PX", l.TTL.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return Grant{}, ErrNotAcquired
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	held, cancel := context.WithCancel(ctx)
	if l.stop == nil {
		l.stop = map[string]context.CancelFunc{}
	}
	l.stop[token] = cancel
	l.Go("watchdog", func() {
		defer cancel()
		l.renew(held, token, start)
	})
	return Grant{Token: token, Context: held}, nil
}

// renew returns when the lease is lost, given back or long enough. A lease is
// counted from before its command was sent, so it never seems longer than it is.
func (l *WatchdogLua) renew(held context.Context, token string, now time.Time) {
	deadline, last := now.Add(l.TTL), now.Add(maxLeases*l.TTL)
	for l.Clock.Sleep(held, min(l.TTL/3, deadline.Sub(l.Clock.Now()))) == nil {
		now = l.Clock.Now()
		if !now.Before(deadline) || !now.Before(last) {
			return
		}
		n, err := renewIfEquals.Run(held, l.Redis, []string{l.Key}, token, l.TTL.Milliseconds()).Int()
		if err == nil && n == 0 {
			return
		}
		if err == nil { // otherwise there may be time for another attempt
			deadline = now.Add(l.TTL)
		}
	}
}

func (l *WatchdogLua) Unlock(ctx context.Context, g Grant) error {
	if stop, ok := l.stop[g.Token]; ok {
		stop()
		delete(l.stop, g.Token)
	}
	n, err := delIfEquals.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
