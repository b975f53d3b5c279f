package strategies

import "context"

// MultiSetNXExpire puts SETNX and EXPIRE into one transaction.
//
// Claim:  "MULTI makes the two commands one, so no crash can come between them."
// Breaks: a transaction has no if: a refused client's EXPIRE renews the holder's lease.
// See:    stories/the_losers_expire_renews_the_dead.txt
// Fix:    set-lua
type MultiSetNXExpire struct{ Env }

func (l *MultiSetNXExpire) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	tx := l.Redis.TxPipeline()
	set := tx.Do(ctx, "SETNX", l.Key, token)
	// BUG(lesson): EXEC runs this even where SETNX answers 0; where it fails, SETNX stands.
	tx.Do(ctx, "EXPIRE", l.Key, l.TTL.Seconds())
	if _, err := tx.Exec(ctx); err != nil {
		return Grant{}, outcome(err)
	}
	ok, err := set.Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	if !ok {
		return Grant{}, ErrNotAcquired
	}
	return Grant{Token: token}, nil
}

func (l *MultiSetNXExpire) Unlock(ctx context.Context, _ Grant) error {
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
