package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// RedlockNaive asks several independent nodes and wins with a majority.
//
// Claim:  "A majority of five nodes keeps the lock safe when a node fails."
// Breaks: a client that fails deletes the winner's keys, and a TTL lasts a thousand times too long.
// See:    stories/the_failed_redlock_frees_everybody.txt
// Fix:    redlock
type RedlockNaive struct{ Env }

func (l *RedlockNaive) Lock(ctx context.Context) (Grant, error) {
	token, start, votes := l.Token(), l.Clock.Now(), 0
	for _, node := range l.Nodes {
		// BUG(lesson): EX counts seconds, and these are milliseconds.
		err := node.Do(ctx, "SET", l.Key, token, "NX", "EX", l.TTL.Milliseconds()).Err()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			// BUG(lesson): one node's error ends it all and leaves the keys set so far.
			return Grant{}, outcome(err)
		}
		votes++
	}
	// BUG(lesson): no margin for clocks that drift apart.
	if votes > len(l.Nodes)/2 && l.Clock.Now().Sub(start) < l.TTL {
		return Grant{Token: token}, nil
	}
	for _, node := range l.Nodes {
		// BUG(lesson): deletes the winner's key as well.
		if err := node.Del(ctx, l.Key).Err(); err != nil {
			return Grant{}, outcome(err)
		}
	}
	return Grant{}, ErrNotAcquired
}

func (l *RedlockNaive) Unlock(ctx context.Context, g Grant) error {
	var released int64
	for _, node := range l.Nodes {
		holder, err := node.Get(ctx, l.Key).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return outcome(err)
		}
		if holder != g.Token {
			continue
		}
		// BUG(lesson): a second command; the holder may have changed since GET.
		n, err := node.Del(ctx, l.Key).Result()
		if err != nil {
			return outcome(err)
		}
		released += n
	}
	if released == 0 {
		return ErrLost
	}
	return nil
}
