package strategies

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// ReentrantHash keeps owner and count together in Redis, as Redisson does, so
// that the count ends when the lease ends.
//
// Claim:  "The holder may enter again, and each entry renews the lease."
// Breaks: an acquire that is sent again after a lost reply counts twice.
// See:    stories/a_reentrant_count_outlives_its_lease.txt
// Fix:    fenced
type ReentrantHash struct {
	Env
	owner string // the same for every acquisition by this Lock
}

var enter = redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1 then
	redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
	redis.call("PEXPIRE", KEYS[1], ARGV[2])
	return 1
end
return 0`)

var leave = redis.NewScript(`
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
	return 0
end
if redis.call("HINCRBY", KEYS[1], ARGV[1], -1) > 0 then
	redis.call("PEXPIRE", KEYS[1], ARGV[2])
else
	redis.call("DEL", KEYS[1])
end
return 1`)

func (l *ReentrantHash) Lock(ctx context.Context) (Grant, error) {
	if l.owner == "" {
		l.owner = l.Token()
	}
	ok, err := enter.Run(ctx, l.Redis, []string{l.Key}, l.owner, l.TTL.Milliseconds()).Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	return Grant{Token: l.owner}, nil
}

func (l *ReentrantHash) Unlock(ctx context.Context, g Grant) error {
	ok, err := leave.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token, l.TTL.Milliseconds()).Bool()
	if err != nil {
		return outcome(err)
	}
	if !ok {
		return ErrLost
	}
	return nil
}
