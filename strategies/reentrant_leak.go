package strategies

import (
	"context"
	"fmt"
)

// ReentrantLeak keeps its counts by key and leaves the deletion to a helper
// that can no longer find what it is to delete. The book's helper names a
// variable that does not exist; Go would not compile that, so here it misses
// the entry that was just removed.
//
// Claim:  "The last release forgets the count and then deletes the key."
// Breaks: the helper fails before it sends DEL, so each release leaves the lock to its TTL.
// See:    stories/the_release_that_never_ran.txt
// Fix:    reentrant-hash
type ReentrantLeak struct {
	Env
	counts map[string]int
}

func (l *ReentrantLeak) Lock(ctx context.Context) (Grant, error) {
	if l.counts[l.Key] > 0 {
		l.counts[l.Key]++
		return Grant{}, nil
	}
	ok, err := l.Redis.SetNX(ctx, l.Key, 1, l.TTL).Result()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	l.counts = map[string]int{l.Key: 1}
	return Grant{}, nil
}

func (l *ReentrantLeak) Unlock(ctx context.Context, _ Grant) error {
	if l.counts[l.Key] > 1 {
		l.counts[l.Key]--
		return nil
	}
	// BUG(lesson): forgets the lock before it is released; release needs this.
	delete(l.counts, l.Key)
	return l.release(ctx)
}

// release deletes the key of a lock that this process holds.
func (l *ReentrantLeak) release(ctx context.Context) error {
	if _, held := l.counts[l.Key]; !held {
		return fmt.Errorf("release %s: not held by this process", l.Key)
	}
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
