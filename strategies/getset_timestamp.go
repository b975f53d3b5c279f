package strategies

import (
	"context"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// GetSetTimestamp stores a deadline as the value, so that others can take an
// expired lock over without a TTL.
//
// Claim:  "GETSET hands an expired lock to exactly one of those who want it."
// Breaks: a fast clock sees a live lock as expired and takes it.
// See:    stories/a_fast_clock_steals_a_live_lock.txt
// Fix:    set-lua
type GetSetTimestamp struct{ Env }

func (l *GetSetTimestamp) Lock(ctx context.Context) (Grant, error) {
	// A deadline in milliseconds, not a token: it names nobody.
	deadline := strconv.FormatInt(l.Clock.Now().Add(l.TTL).UnixMilli(), 10)
	ok, err := l.Redis.Do(ctx, "SETNX", l.Key, deadline).Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if ok {
		return Grant{}, nil
	}
	seen, err := l.Redis.Get(ctx, l.Key).Result()
	if errors.Is(err, redis.Nil) {
		return Grant{}, ErrNotAcquired // released meanwhile: free, yet refused
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	until, err := strconv.ParseInt(seen, 10, 64)
	if err != nil {
		return Grant{}, err
	}
	// BUG(lesson): judges the holder's deadline by this client's clock.
	if until >= l.Clock.Now().UnixMilli() {
		return Grant{}, ErrNotAcquired
	}
	// BUG(lesson): writes first and asks afterwards; a loser has replaced the
	// winner's deadline, or left one on a key that was just released.
	old, err := l.Redis.Do(ctx, "GETSET", l.Key, deadline).Text()
	if err != nil && !errors.Is(err, redis.Nil) {
		return Grant{}, outcome(err)
	}
	if old != seen {
		return Grant{}, ErrNotAcquired
	}
	return Grant{}, nil
}

func (l *GetSetTimestamp) Unlock(ctx context.Context, _ Grant) error {
	// BUG(lesson): the value has no owner, so anybody's DEL will do.
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
