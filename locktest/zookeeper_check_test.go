package locktest_test

import (
	"context"
	"testing"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/testkit"
	"lockstep/locktest"
)

// libraryLock is zk.Lock, the lock of the client's own package.
func libraryLock(c locktest.Client) (locktest.Lock, error) {
	l := zk.NewLock(c.ZooKeeper, c.Key, zk.WorldACL(zk.PermAll))
	return locktest.Funcs(
		func(context.Context) error { return l.Lock() },
		func(context.Context) error { return l.Unlock() },
	), nil
}

func TestGoodOnZooKeeper(t *testing.T) {
	testkit.Single(t)
	locktest.Check(t, libraryLock, locktest.ZooKeeper("/lock"), locktest.Addresses(3), locktest.Hazards(locktest.Contention))
}

// TestStoryOnZooKeeper: a story can be about a lock on ZooKeeper.
func TestStoryOnZooKeeper(t *testing.T) {
	locktest.StoryText(t, `
world strategy=mine clients=A,B
----

run A until=in-critical
----

run B
----

run A
----

check
----
`, libraryLock, locktest.ZooKeeper("/locks/stock"))
}
