package strategies

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// ListSemaphore keeps a single element in a list: the client that pops it has the lock, and gives it back.
//
// Claim:  "BLPOP hands the lock to the client that has waited longest: no polling, no TTL to choose."
// Breaks: the element is with its holder: a holder that dies takes it along, and so does a reply that is lost.
// See:    stories/a_crash_takes_the_element_along.txt
// Fix:    set-lua
type ListSemaphore struct{ Env }

func (l *ListSemaphore) Lock(ctx context.Context) (Grant, error) {
	// The first client puts the element there.
	first, err := l.Redis.SetNX(ctx, l.Key+":made", 1, 0).Result()
	if err == nil && first {
		// BUG(lesson): a crash before this leaves a list without an element.
		err = l.Redis.RPush(ctx, l.Key, "element").Err()
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	// BUG(lesson): the element has no TTL while it is out of the list.
	err = l.Redis.BLPop(ctx, l.TTL, l.Key).Err()
	if errors.Is(err, redis.Nil) {
		return Grant{}, ErrNotAcquired
	}
	if err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: "element"}, nil
}

func (l *ListSemaphore) Unlock(ctx context.Context, _ Grant) error {
	if err := l.Redis.RPush(ctx, l.Key, "element").Err(); err != nil {
		return outcome(err)
	}
	return nil
}
