package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// DelexIfeq is set-lua without the script: since Redis 8.4 one command
// compares and deletes.
//
// Claim:  "DELEX with IFEQ removes one's own lock only, in one command."
// Breaks: it is a lease: work that outlives the TTL lets a second client in.
// See:    stories/delex_is_lua_in_one_command.txt
// Fix:    fenced
type DelexIfeq struct{ Env }

func (l *DelexIfeq) Lock(ctx context.Context) (Grant, error) {
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

func (l *DelexIfeq) Unlock(ctx context.Context, g Grant) error {
	// go-redis's DelExArgs sends the same, but is marked experimental.
	n, err := l.Redis.Do(context.WithoutCancel(ctx), "DELEX", l.Key, "IFEQ", g.Token).Int()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
