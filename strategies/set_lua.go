package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// SetLua takes the lock and its deadline in one command, under a random token,
// and deletes it only if the token is still its own.
//
// Claim:  "Atomic acquire, atomic release, no orphan, nobody else's lock removed."
// Breaks: it is a lease: work that outlives the TTL lets a second client in.
// See:    stories/lua_cannot_save_slow_work.txt
// Fix:    fenced
type SetLua struct{ Env }

// A script runs as one command: nothing comes between GET and DEL.
var delIfEquals = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

func (l *SetLua) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	// go-redis's own SET methods turn whole seconds into EX.
	err := l.Redis.Do(ctx, "SET", l.Key, token, "NX", "PX", l.TTL.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return Grant{}, ErrNotAcquired
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: token}, nil
}

func (l *SetLua) Unlock(ctx context.Context, g Grant) error {
	n, err := delIfEquals.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
