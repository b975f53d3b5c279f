package strategies

import "context"

// SetDel takes the lock and its deadline in one command and deletes the key
// unseen.
//
// Claim:  "SET with NX and EX is atomic, so a crash leaves no orphan."
// Breaks: work that outlives the TTL ends with a DEL of the next holder's lock.
// See:    stories/del_removes_the_next_holders_lock.txt
// Fix:    set-lua
type SetDel struct{ Env }

func (l *SetDel) Lock(ctx context.Context) (Grant, error) {
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

func (l *SetDel) Unlock(ctx context.Context, _ Grant) error {
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
