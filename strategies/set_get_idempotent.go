package strategies

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// SetGetIdempotent takes the lock by a script that may be sent again: a client that
// repeats it with the same token finds the lock to be its own.
//
// Claim:  "A lost reply does not lock its sender out."
// Breaks: a request that arrives after its sender gave up holds the lock until its TTL.
// See:    stories/a_lost_reply_locks_its_sender_out.txt
// Fix:    fenced
type SetGetIdempotent struct {
	Env
	token string // of an acquisition that has not succeeded yet
}

var setOrRenew = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return 1
end
return 0`)

func (l *SetGetIdempotent) Lock(ctx context.Context) (Grant, error) {
	// Kept until it is granted: a call whose reply was lost may have set it,
	// and the next call must know it again.
	if l.token == "" {
		l.token = l.Token()
	}
	ok, err := setOrRenew.Run(ctx, l.Redis, []string{l.Key}, l.token, l.TTL.Milliseconds()).Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	g := Grant{Token: l.token}
	l.token = ""
	return g, nil
}

func (l *SetGetIdempotent) Unlock(ctx context.Context, g Grant) error {
	n, err := delIfEquals.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
