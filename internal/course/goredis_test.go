package course_test

// What the course on Go services says of go-redis, held to the go-redis that is built in.

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

func TestGoRedisDefaults(t *testing.T) {
	r := redis.NewClient(&redis.Options{})
	defer func() { _ = r.Close() }()
	o := r.Options()
	if o.MaxRetries != 3 || o.ReadTimeout != 5*time.Second || o.ContextTimeoutEnabled {
		t.Errorf("%d retries, read timeout %v, context's deadline heeded: %v", o.MaxRetries, o.ReadTimeout, o.ContextTimeoutEnabled)
	}
}

// A watched connection knows the latest deadline that it was given to read by.
type watched struct {
	net.Conn
	deadline *time.Time
}

func (c watched) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		*c.deadline = at
	}
	return c.Conn.SetReadDeadline(at)
}

// TestGoRedisAndTheDeadlineOfAContext: only with ContextTimeoutEnabled is a reply
// waited for no longer than the context says.
func TestGoRedisAndTheDeadlineOfAContext(t *testing.T) {
	server := miniredis.RunT(t)
	for _, enabled := range []bool{false, true} {
		var deadline time.Time
		r := redis.NewClient(&redis.Options{
			Addr: server.Addr(), ReadTimeout: 10 * time.Hour, ContextTimeoutEnabled: enabled,
			Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
				return watched{conn, &deadline}, err
			},
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		err := r.Get(ctx, "k").Err()
		ends, _ := ctx.Deadline()
		if heeded := !deadline.After(ends); !errors.Is(err, redis.Nil) || heeded != enabled {
			t.Errorf("ContextTimeoutEnabled %v: %v; the context ends at %v, the reply is awaited until %v", enabled, err, ends, deadline)
		}
		cancel()
		_ = r.Close()
	}
}

// TestSetNXOfGoRedis: how the TTL is sent depends on what it is.
func TestSetNXOfGoRedis(t *testing.T) {
	for ttl, want := range map[time.Duration]string{
		0:                       "set k v nx: false",
		2 * time.Second:         "set k v ex 2 nx: false",
		1500 * time.Millisecond: "set k v px 1500 nx: false",
	} {
		r := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
		cmd := r.SetNX(t.Context(), "k", "v", ttl)
		cmd.SetVal(false)
		if got := cmd.String(); got != want {
			t.Errorf("%v: %q", ttl, got)
		}
		_ = r.Close()
	}
}

// A hurried lock gives itself half of its lease to work, and releases under the
// context of the work.
type hurried struct {
	locktest.Client
	work context.Context
	end  context.CancelFunc
}

var errTaken = errors.New("taken")

func (l *hurried) Lock(ctx context.Context) error {
	l.work, l.end = context.WithTimeout(ctx, l.TTL/2)
	ok, err := l.Redis.SetNX(l.work, l.Key, "mine", l.TTL).Result()
	if err == nil && !ok {
		err = errTaken
	}
	return err
}

func (l *hurried) Unlock(context.Context) error {
	defer l.end()
	return l.Redis.Del(l.work, l.Key).Err()
}

// TestAReleaseUnderAnEndedContext: go-redis sends nothing, and the key stays.
func TestAReleaseUnderAnEndedContext(t *testing.T) {
	locktest.StoryText(t, `
world strategy=mine clients=A,B ttl=6s work=4s stock=2
----

run A until=after:write
----

run A
----
A    leaves the critical section
A    release failed: context deadline exceeded
     VIOLATED leak: A is done with lock:stock, but its key is still there: context deadline exceeded

keys
----
lock:stock = mine, TTL 2s
`, func(c locktest.Client) (locktest.Lock, error) { return &hurried{Client: c}, nil }, locktest.RefusedBy(errTaken))
}
