package strategies

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Fenced is set-lua with a number that grows with every lease. The resource
// refuses a write with a number older than the newest it has seen.
//
// Claim:  "However late a holder writes, it cannot undo what a later one wrote."
// Breaks: it keeps no second client out; it needs a resource that compares and a counter that is never lost.
// See:    stories/fencing_refuses_the_stale_write.txt
// Fix:    optimistic-version
type Fenced struct{ Env }

// SET and INCR must be one command: a client that paused between the two
// would come back without its lease and draw the newest number of all.
var setAndCount = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

func (l *Fenced) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	// The counter has no TTL: one that starts again lets stale writes pass.
	keys := []string{l.Key, l.Key + ":fence"}
	fence, err := setAndCount.Run(ctx, l.Redis, keys, token, l.TTL.Milliseconds()).Int64()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if fence == 0 {
		return Grant{}, ErrNotAcquired
	}
	return Grant{Token: token, Fence: fence}, nil
}

func (l *Fenced) Unlock(ctx context.Context, g Grant) error {
	n, err := delIfEquals.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
