package strategies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
)

var (
	// ErrNotAcquired says that somebody else holds the lock.
	ErrNotAcquired = errors.New("lock: not acquired")
	// ErrLost says that, at release or renewal, the lock was no longer ours.
	ErrLost = errors.New("lock: no longer held")
	// ErrUnknown says that no reply came: the command may or may not have been
	// applied. It is not a failure, and a caller must not treat it as one.
	ErrUnknown = errors.New("lock: outcome unknown")
)

// A Lock is one named lock as one client uses it. It is not safe for use by
// several goroutines, except for the background tasks that it starts itself.
type Lock interface {
	// Lock tries to take the lock. It returns ErrNotAcquired if the lock is
	// taken and ErrUnknown if it cannot know.
	Lock(ctx context.Context) (Grant, error)
	// Unlock gives back what Lock granted. It returns ErrLost if the lock was
	// no longer ours and ErrUnknown if it cannot know.
	Unlock(ctx context.Context, g Grant) error
}

// A Grant is one successful acquisition.
type Grant struct {
	// Token is the identity of this acquisition, as stored in Redis; empty for
	// locks that have none.
	Token string
	// Fence is a fencing token, a number that only grows; 0 for locks that
	// have none.
	Fence int64
	// Context is cancelled when the lock learns that its lease is lost; nil
	// for locks that never learn it.
	Context context.Context
}

// An Updater guards the resource at the resource itself instead of by a lock.
type Updater interface {
	// Update changes the resource from the value it has to change(value).
	Update(ctx context.Context, r Resource, change func(int64) int64) error
}

// ErrConflict says that the resource refused a conditional write.
var ErrConflict = errors.New("resource: conflict")

// A Resource is what a lock guards: one value with a version.
type Resource interface {
	// Read returns the value and the version it has.
	Read(ctx context.Context) (value, version int64, err error)
	// WriteIf stores value if the version still is the given one; otherwise
	// it returns ErrConflict.
	WriteIf(ctx context.Context, value, version int64) error
}

// A Clock is the client's own clock: what time.Now and time.Sleep are to a
// process, wrong offset and all.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx is done, and then returns ctx.Err().
	Sleep(ctx context.Context, d time.Duration) error
}

// Env is everything that a lock may use. A program of one's own fills it with
// a real client, the system clock and a random token source.
type Env struct {
	Name  string          // the client's
	Redis *redis.Client   // the node, for a lock that uses one
	Nodes []*redis.Client // all nodes, for a lock that needs a quorum
	// ZooKeeper is the client of a lock that uses ZooKeeper, and nil for any other.
	ZooKeeper *zk.Conn
	Session   <-chan zk.Event // what the client of ZooKeeper reports of its session, as zk.Connect returns it
	// Dial connects to the node, for a lock that brings its own client.
	Dial  func() net.Conn
	Clock Clock
	Key   string        // the lock's key, or the path of its node
	TTL   time.Duration // how long a lease lasts
	Wait  time.Duration // how long a lock that polls may keep trying; 0 is one attempt
	Token func() string // a fresh identity, different at every call
	// Go starts a background task, such as a watchdog. In the simulator a task
	// runs only while its lock sleeps or waits for Redis: one that waits for the
	// task's end in any other way (cancel(); <-done) is stuck.
	Go func(name string, task func())
}

// Outcome is the result of a command that failed with err: an error that wraps
// ErrUnknown if no reply came, or else err.
func Outcome(err error) error { return outcome(err) }

// outcome wraps an error of go-redis, or of the client of ZooKeeper. A command whose reply never came has an
// unknown outcome; anything else is what it says.
func outcome(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, zk.ErrConnectionClosed) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return err
}
