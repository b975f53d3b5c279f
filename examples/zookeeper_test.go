package examples

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"lockstep/locktest"
)

// zookeeperLock is the lock in the package of ZooKeeper's client. Its Lock waits for
// its turn and takes no context.
func zookeeperLock(c locktest.Client) (locktest.Lock, error) {
	l := zk.NewLock(c.ZooKeeper, c.Key, zk.WorldACL(zk.PermAll))
	return locktest.Funcs(
		func(context.Context) error { return l.Lock() },
		func(context.Context) error {
			err := l.Unlock()
			if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrSessionExpired) {
				return errors.Join(locktest.ErrLost, err)
			}
			return err
		},
	), nil
}
