package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// PubSubWakeup waits for the holder's message instead of asking again and again.
//
// Claim:  "Nobody polls: a client that is refused sleeps until the holder's message wakes it."
// Breaks: a message sent before the client subscribes, lost, or never sent by a dead holder leaves it asleep.
// See:    stories/a_message_before_the_subscription.txt
// Fix:    pubsub-timed
type PubSubWakeup struct{ Env }

// The release tells everybody who listens.
var delAndPublish = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	redis.call("DEL", KEYS[1])
	redis.call("PUBLISH", KEYS[1] .. ":free", "")
	return 1
end
return 0`)

func (l *PubSubWakeup) Lock(ctx context.Context) (Grant, error) {
	for {
		g, err := trySet(ctx, l.Env)
		if !errors.Is(err, ErrNotAcquired) {
			return g, err
		}
		// BUG(lesson): the lock may have become free before this subscription.
		free := l.Redis.Subscribe(ctx, l.Key+":free")
		if _, err = free.ReceiveMessage(ctx); err != nil {
			// BUG(lesson): go-redis has subscribed again, but what was sent meanwhile does not come.
			_, err = free.ReceiveMessage(ctx)
		}
		_ = free.Close()
		if err != nil {
			return Grant{}, outcome(err)
		}
	}
}

// trySet makes one attempt.
func trySet(ctx context.Context, l Env) (Grant, error) {
	token := l.Token()
	err := l.Redis.Do(ctx, "SET", l.Key, token, "NX", "PX", l.TTL.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return Grant{}, ErrNotAcquired
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: token}, nil
}

func (l *PubSubWakeup) Unlock(ctx context.Context, g Grant) error {
	n, err := delAndPublish.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
