package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// WatchdogNaive takes and releases the lock as WatchDel does, and renews it in
// the background.
//
// Claim:  "A thread keeps renewing the lease, so work may take as long as it likes."
// Breaks: it renews a stranger's lease, outlives a hung owner and never reports a lost lease.
// See:    stories/the_watchdog_renews_a_stranger.txt
// Fix:    watchdog-lua
type WatchdogNaive struct{ WatchDel }

func (l *WatchdogNaive) Lock(ctx context.Context) (Grant, error) {
	g, err := l.WatchDel.Lock(ctx)
	if err != nil {
		return Grant{}, err
	}
	// BUG(lesson): nothing ties the watchdog to the work: no stop, no bound,
	// and no way to tell the worker that the lease is lost.
	l.Go("watchdog", func() { l.renew(context.WithoutCancel(ctx), g.Token) })
	return g, nil
}

// renew ends when it finds the key gone, and only then.
func (l *WatchdogNaive) renew(ctx context.Context, token string) {
	for l.Clock.Sleep(ctx, l.TTL/3) == nil {
		holder, err := l.Redis.Get(ctx, l.Key).Result()
		if errors.Is(err, redis.Nil) {
			return
		}
		if err != nil || holder != token {
			continue
		}
		// BUG(lesson): a second command; the holder may have changed since GET.
		_ = l.Redis.Expire(ctx, l.Key, l.TTL).Err()
	}
}
