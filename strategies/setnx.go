package strategies

import "context"

// SetNX takes the lock with one command and gives it no deadline at all.
//
// Claim:  "SETNX succeeds for one client only, so it is a lock."
// Breaks: a holder that dies, or returns early on an error, leaves the key for ever.
// See:    stories/a_crash_leaves_a_lock_without_ttl.txt
// Fix:    set-lua
type SetNX struct{ Env }

func (l *SetNX) Lock(ctx context.Context) (Grant, error) {
	// BUG(lesson): no TTL; if its holder does not come back, this key stays.
	ok, err := l.Redis.Do(ctx, "SETNX", l.Key, 1).Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	return Grant{}, nil
}

func (l *SetNX) Unlock(ctx context.Context, _ Grant) error {
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}
