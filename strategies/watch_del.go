package strategies

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// WatchDel polls for the lock and releases it in a transaction that fails if
// the key has changed since it was read.
//
// Claim:  "WATCH lets only the owner delete the lock, without a script."
// Breaks: it is taken in two commands, and a vanished key fails the release half-way.
// See:    stories/a_vanished_key_breaks_the_watch_release.txt
// Fix:    set-lua
type WatchDel struct{ Env }

func (l *WatchDel) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	deadline := l.Clock.Now().Add(l.Wait)
	for {
		ok, err := l.Redis.Do(ctx, "SETNX", l.Key, token).Bool()
		if err != nil {
			return Grant{}, outcome(err)
		}
		if ok {
			break
		}
		if !l.Clock.Now().Before(deadline) {
			return Grant{}, ErrNotAcquired
		}
		if err := l.Clock.Sleep(ctx, 10*time.Millisecond); err != nil {
			return Grant{}, err
		}
	}
	// BUG(lesson): a second command; a process that dies here leaves no TTL.
	if err := l.Redis.Expire(ctx, l.Key, l.TTL).Err(); err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: token}, nil
}

func (l *WatchDel) Unlock(ctx context.Context, g Grant) error {
	conn := l.Redis.Conn() // WATCH belongs to a connection
	defer func() { _ = conn.Close() }()
	for {
		if err := conn.Do(ctx, "WATCH", l.Key).Err(); err != nil {
			return outcome(err)
		}
		holder, err := conn.Get(ctx, l.Key).Result()
		if err != nil {
			// BUG(lesson): a key that has vanished is an error here too, and
			// the connection goes back to the pool with its WATCH.
			return outcome(err)
		}
		if holder != g.Token {
			if err := conn.Do(ctx, "UNWATCH").Err(); err != nil {
				return outcome(err)
			}
			return ErrLost
		}
		_, err = conn.TxPipelined(ctx, func(tx redis.Pipeliner) error {
			return tx.Del(ctx, l.Key).Err()
		})
		if errors.Is(err, redis.TxFailedErr) {
			continue // changed since WATCH: look again
		}
		if err != nil {
			return outcome(err)
		}
		return nil
	}
}
