// Package locktest puts a lock of your own on Redis or ZooKeeper, or one of a
// library, under Lockstep's explorer, in an ordinary test:
//
//	func TestMyLock(t *testing.T) {
//		locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
//			return mylock.New(c.Redis, c.Key, c.TTL), nil
//		})
//	}
//
// A lock on ZooKeeper gets a *zk.Conn, and the test says at which path it is:
//
//	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
//		l := zk.NewLock(c.ZooKeeper, c.Key, zk.WorldACL(zk.PermAll))
//		return locktest.Funcs(
//			func(context.Context) error { return l.Lock() },
//			func(context.Context) error { return l.Unlock() },
//		), nil
//	}, locktest.ZooKeeper("/lock"), locktest.Addresses(3))
//
// The lock is not changed for it: its goroutines, timers, contexts and random
// numbers are what they are, on a clock that is the client's own. Check tries
// every schedule within bounds, under one hazard after the other: which client
// goes on, what is lost, who crashes, when time passes. Each hazard is a subtest. A
// failure prints the shortest schedule found that breaks an invariant.
//
// The clients run in processes of their own, so that a lock that spins or ends the
// process ends nothing but its own test.
package locktest
