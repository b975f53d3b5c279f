package strategies

import "context"

// ReentrantCounter lets its holder in again and counts how often in the
// process.
//
// Claim:  "The holder may enter again without asking Redis; a counter knows when to leave."
// Breaks: the count goes on when the lease has ended, so nested work has no lock.
// See:    stories/a_reentrant_count_outlives_its_lease.txt
// Fix:    reentrant-hash
type ReentrantCounter struct {
	Env
	count int
}

func (l *ReentrantCounter) Lock(ctx context.Context) (Grant, error) {
	// BUG(lesson): neither checks that the key is still there nor renews it.
	if l.count > 0 {
		l.count++
		return Grant{}, nil
	}
	ok, err := l.Redis.SetNX(ctx, l.Key, 1, l.TTL).Result()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	l.count = 1
	return Grant{}, nil
}

func (l *ReentrantCounter) Unlock(ctx context.Context, _ Grant) error {
	if l.count == 0 {
		return ErrLost
	}
	l.count--
	if l.count > 0 {
		return nil
	}
	// BUG(lesson): deletes the key, even another client's.
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
