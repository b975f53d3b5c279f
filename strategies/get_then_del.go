package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// GetThenDel stores a token and deletes the key only after it has seen that
// token there.
//
// Claim:  "A client that compares before deleting cannot remove another's lock."
// Breaks: if the lease ends between GET and DEL, DEL removes the next holder's lock.
// See:    stories/the_lease_ends_between_get_and_del.txt
// Fix:    set-lua
type GetThenDel struct{ Env }

func (l *GetThenDel) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	ok, err := l.Redis.SetNX(ctx, l.Key, token, l.TTL).Result()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	return Grant{Token: token}, nil
}

func (l *GetThenDel) Unlock(ctx context.Context, g Grant) error {
	holder, err := l.Redis.Get(ctx, l.Key).Result()
	if errors.Is(err, redis.Nil) {
		return ErrLost
	}
	if err != nil {
		return outcome(err)
	}
	if holder != g.Token {
		return ErrLost
	}
	// BUG(lesson): a second command; the holder may have changed since GET.
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
