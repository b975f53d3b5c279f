package strategies

import "context"

// ReentrantMisprint is reentrant-counter as one printing of the book has it: a
// line that is indented wrongly returns true to everybody. Here the misprint is one
// character: >= for >.
//
// Claim:  "The holder may enter again; everybody else has to ask Redis."
// Breaks: it never asks Redis, so there is no lock.
// See:    stories/the_lock_that_never_asked.txt
// Fix:    reentrant-hash
type ReentrantMisprint struct {
	Env
	count int
}

func (l *ReentrantMisprint) Lock(ctx context.Context) (Grant, error) {
	// BUG(lesson): >= for >: true for those who do not hold it as well.
	if l.count >= 0 {
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

func (l *ReentrantMisprint) Unlock(ctx context.Context, _ Grant) error {
	l.count = max(0, l.count-1)
	// BUG(lesson): the same here: reports success and never sends DEL.
	if l.count >= 0 {
		return nil
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
