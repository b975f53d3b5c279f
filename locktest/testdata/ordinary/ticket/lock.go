// Package ticket is a queue by numbers, as at a counter: INCR draws one, and each waits until it
// is served. Nothing has a TTL.
//
// Refused: an acquisition writes only the counter of the tickets, which is nobody's and is
// never deleted: it is there whether the lock is free or not. (crash would be VIOLATED: whoever waits
// behind a dead client waits for ever.)
package ticket

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Queue is a queue of clients.
type Queue struct {
	rdb  *redis.Client
	name string
}

// New returns a queue.
func New(rdb *redis.Client, name string) Queue { return Queue{rdb, name} }

// Lock waits for its turn.
func (q Queue) Lock(ctx context.Context) error {
	mine, err := q.rdb.Incr(ctx, q.name+":ticket").Result()
	if err != nil {
		return fmt.Errorf("no ticket: %w", err)
	}
	for {
		served, err := q.rdb.Get(ctx, q.name+":served").Int64()
		if err != nil && err != redis.Nil {
			return err
		}
		if served == mine-1 {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unlock is for the next one.
func (q Queue) Unlock(ctx context.Context) error {
	return q.rdb.Incr(context.WithoutCancel(ctx), q.name+":served").Err()
}
