package strategies

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// ZKLock is the lock of the library itself, go-zookeeper/zk.
//
// Claim:  "The recipe, from the library's authors: nothing to get wrong."
// Breaks: a pause that outlasts the session ends the lock under its holder, who does not know.
// See:    stories/the_librarys_lock_after_a_pause.txt
// Fix:    zk-sequential-fenced
type ZKLock struct {
	Env
	held *zk.Lock
}

func (l *ZKLock) Lock(context.Context) (Grant, error) {
	lock := zk.NewLock(l.ZooKeeper, l.Key, everybody)
	if err := lock.Lock(); err != nil {
		return Grant{}, zkOutcome(err)
	}
	l.held = lock
	return Grant{}, nil
}

func (l *ZKLock) Unlock(context.Context, Grant) error {
	return zkOutcome(l.held.Unlock())
}
