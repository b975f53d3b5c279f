package strategies

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// PubSubTimed subscribes first, asks once more, and waits for a message no longer than the lease lasts.
//
// Claim:  "A message wakes a waiting client at once, and without one it wakes when the lease is over."
// Breaks: it is a lease: work that outlives the TTL lets a second client in.
// See:    stories/a_lost_message_delays_only.txt
// Fix:    fenced
type PubSubTimed struct{ PubSubWakeup }

func (l *PubSubTimed) Lock(ctx context.Context) (Grant, error) {
	g, err := trySet(ctx, l.Env)
	for errors.Is(err, ErrNotAcquired) {
		free := l.Redis.Subscribe(ctx, l.Key+":free")
		g, err = l.await(ctx, free)
		_ = free.Close()
	}
	return g, err
}

// await asks once more after it has subscribed, and otherwise waits for a
// message or for the end of the lease.
func (l *PubSubTimed) await(ctx context.Context, free *redis.PubSub) (Grant, error) {
	if _, err := free.Receive(ctx); err != nil { // the confirmation
		return Grant{}, outcome(err)
	}
	g, err := trySet(ctx, l.Env)
	if !errors.Is(err, ErrNotAcquired) {
		return g, err
	}
	left, err := l.Redis.PTTL(ctx, l.Key).Result()
	if err != nil {
		return Grant{}, outcome(err)
	}
	woken, wake := context.WithCancel(ctx)
	defer wake()
	l.Go("listener", func() {
		defer wake()
		_, _ = free.ReceiveMessage(ctx) // an error is as good a reason to ask again
	})
	_ = l.Clock.Sleep(woken, max(0, left)+time.Millisecond)
	return trySet(ctx, l.Env)
}
