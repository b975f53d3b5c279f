package strategies

import "context"

// SetNXExpire takes the lock with one command and gives it a deadline with a
// second.
//
// Claim:  "SETNX excludes everybody else, and EXPIRE cleans up after a crash."
// Breaks: a crash between the two commands leaves the key for ever.
// See:    stories/a_crash_between_setnx_and_expire.txt
// Fix:    set-lua
type SetNXExpire struct{ Env }

func (l *SetNXExpire) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	// go-redis's SetNX sends SET ... NX; the tutorial's command is SETNX.
	ok, err := l.Redis.Do(ctx, "SETNX", l.Key, token).Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	// BUG(lesson): a second command; a process that dies here leaves no TTL.
	if err := l.Redis.Expire(ctx, l.Key, l.TTL).Err(); err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: token}, nil
}

func (l *SetNXExpire) Unlock(ctx context.Context, _ Grant) error {
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
