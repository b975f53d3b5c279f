// Package examples tries libraries that have a lock on Redis or ZooKeeper, each as its own
// documentation shows it. What comes of it stands in docs/libraries-runs.md, which
// TestTable holds against a run.
package examples

import (
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"

	"lockstep/locktest"
)

// A library is a row of the table: a library as it is used in one way.
type library struct {
	name   string // of the row, and of its subtest
	module string // as go.mod has it
	use    string // what of it is used, as the table says it
	lock   locktest.Factory
	check  []locktest.Option
}

// Why a violation that is found is none of the adapter's, as the test of each
// says. docs/libraries.md tells more.
const (
	sameValue   = "every try of one Lock has the same value, so that the release of a try that failed can end what a later one acquired"
	keepsAHung  = "the lease is renewed for as long as the process lives, whatever becomes of the work"
	takesAgain  = "after its lease has ended and another client has had the lock, an Extend takes it again, and the work goes on"
	writesAnew  = "an Extend that is under way at the release takes the key again after it, up to the TTL"
	noCount     = "it acquires again what it has, and does not count: the first release ends both"
	leavesNode  = "Lock leaves its node behind when a request after the first one fails, and the node lasts as long as the session"
	queueForgot = "a client tells Redis of its queue once, and an inspector asks for it"
)

var libraries = []library{
	{"redislock-0.9.4", "github.com/bsm/redislock", "`Obtain`, `Release`", redislock094, nil},
	{"redislock-0.9.4-retry", "github.com/bsm/redislock", "`Obtain` with `LimitRetry(LinearBackoff(100ms), 3)`", redislock094Retry, nil},
	{"redislock-0.10.0", "github.com/bsm/redislock010", "`Obtain`, `Release`", redislock0100, nil},
	{"redislock-0.10.0-watchdog", "github.com/bsm/redislock010", "`Obtain`, and the watchdog of its README", redislock0100Watchdog, []locktest.Option{
		locktest.Allow(locktest.LockRecovers, keepsAHung, locktest.Hang),
	}},
	{"redsync-try", "github.com/go-redsync/redsync/v4", "`TryLock`, `Unlock`", redsyncTry, nil},
	{"redsync", "github.com/go-redsync/redsync/v4", "`Lock`, `Unlock`, all defaults", redsyncLock(), []locktest.Option{
		locktest.TTL(8 * time.Second),
		locktest.Allow(locktest.PhantomHold, sameValue, locktest.LateRequest),
	}},
	{"redsync-retry", "github.com/go-redsync/redsync/v4", "`Lock`, `WithTries(3)`, `WithRetryDelay(100ms)`", redsyncLock(redsync.WithTries(3), redsync.WithRetryDelay(100*time.Millisecond)), []locktest.Option{
		locktest.TTL(8 * time.Second),
		locktest.Allow(locktest.PhantomHold, sameValue, locktest.LateRequest),
	}},
	{"redsync-extend", "github.com/go-redsync/redsync/v4", "`TryLock`, `Extend` thrice in a lease", redsyncExtending(), []locktest.Option{
		locktest.Allow(locktest.LockRecovers, keepsAHung, locktest.Hang),
	}},
	{"redsync-extend-setnx", "github.com/go-redsync/redsync/v4", "`TryLock`, `Extend` thrice in a lease, `WithSetNXOnExtend`", redsyncExtending(redsync.WithSetNXOnExtend()), []locktest.Option{
		locktest.Allow(locktest.LostUpdate, takesAgain, locktest.Overrun),
		locktest.Allow(locktest.Leak, writesAnew, locktest.Cancel),
		locktest.Allow(locktest.Leak, writesAnew, locktest.LongWork),
		locktest.Allow(locktest.LockRecovers, keepsAHung, locktest.Hang),
	}},
	{"redsync-three", "github.com/go-redsync/redsync/v4", "`TryLock`, `Unlock` on three nodes", redsyncTry, []locktest.Option{locktest.Nodes(3)}},
	{"gozero", "github.com/zeromicro/go-zero", "`RedisLock`, `SetExpire(5)`", gozeroLock, []locktest.Option{
		locktest.Allow(locktest.PhantomHold, noCount, locktest.Reentry),
	}},
	{"asynq", "github.com/hibiken/asynq", "`Enqueue` with `Unique(5s)`, `DeleteTask`", asynqUnique, []locktest.Option{
		locktest.Key(asynqKey),
		locktest.Allow(locktest.Leak, queueForgot, locktest.NodeRestart),
		locktest.Allow(locktest.Leak, queueForgot, locktest.Failover),
	}},
	{"zk", "github.com/go-zookeeper/zk", "`Lock`, one address", zookeeperLock, []locktest.Option{
		locktest.ZooKeeper("/lock"),
		locktest.Allow(locktest.LockRecovers, leavesNode, locktest.LostReply),
		locktest.Allow(locktest.LockRecovers, leavesNode, locktest.LateRequest),
	}},
	{"zk-three", "github.com/go-zookeeper/zk", "`Lock`, three addresses", zookeeperLock, []locktest.Option{
		locktest.ZooKeeper("/lock"), locktest.Addresses(3),
		locktest.Allow(locktest.LockRecovers, leavesNode, locktest.LostReply),
		locktest.Allow(locktest.LockRecovers, leavesNode, locktest.LateRequest),
	}},
}

// slow are those that take longer than a minute together.
var slow = []string{"redislock-0.9.4-retry", "redislock-0.10.0-watchdog", "redsync", "redsync-extend", "redsync-extend-setnx", "redsync-three", "zk", "zk-three"}

// TestLibraries checks each library under every hazard. Who asks three nodes side by
// side, or has a watchdog beside work that outlives its lease, can do too much: that
// is explored in part, and sampled.
func TestLibraries(t *testing.T) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			locktest.Check(t, l.lock, append(l.check, locktest.Limit(10*time.Minute), locktest.AcceptSampled("the table says in part"))...)
		})
	}
}
