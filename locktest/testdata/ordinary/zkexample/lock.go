// Package zkexample is row 10: the lock of the ZooKeeper client's own package, as docs/locktest.md
// has it.
//
// contention: HOLDS, who waits is woken by the deletion of the node before its own. If the limit
// ends the search, that is said, and nothing is said of who waits in states that were not
// finished.
// lost-reply: VIOLATED lock-recovers: Lock makes a node, and fails before it has the lock,
// since the reply to what it asks next is lost. It leaves the node, its session lives, and
// everybody waits for a node that nobody will delete.
package zkexample

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// A Mutex is a lock at a path.
type Mutex struct{ l *zk.Lock }

// New returns the lock.
func New(conn *zk.Conn, path string) Mutex {
	return Mutex{zk.NewLock(conn, path, zk.WorldACL(zk.PermAll))}
}

// Lock waits for the lock.
func (m Mutex) Lock(context.Context) error { return m.l.Lock() }

// Unlock releases it.
func (m Mutex) Unlock(context.Context) error { return m.l.Unlock() }
