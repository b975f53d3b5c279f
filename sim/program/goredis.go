package program

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockstep/sim"
)

// NewRedis is a client of a node. It is the one place that pins go-redis: whatever could act on its own
// or by the wall clock is off. Retries are the configuration's; backoff is how long
// go-redis waits before the first and before any, NoBackoff for code on the wall
// clock, and 0 for what go-redis does.
func NewRedis(retries, node int, backoff time.Duration, dial func() net.Conn) *redis.Client {
	if retries == 0 {
		retries = -1 // go-redis's word for none
	}
	return redis.NewClient(&redis.Options{
		Addr:            sim.NodeName(node),
		Protocol:        2,
		MaxRetries:      retries,
		MinRetryBackoff: backoff,
		MaxRetryBackoff: backoff,
		// A connection for each strand and node: nobody waits for a free one.
		PoolSize:         maxStrands,
		PipelinePoolSize: -1,
		DialerRetries:    1,
		ReadTimeout:      -1, // Timeout in the configuration is virtual
		WriteTimeout:     -1,
		ConnMaxIdleTime:  -1,
		ReadBufferSize:   512, // a reply that is longer is read in parts
		WriteBufferSize:  bufferSize,
		DisableIdentity:  true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode:         maintnotifications.ModeDisabled,
			EndpointType: maintnotifications.EndpointTypeNone, // else it looks the node's name up in the DNS
		},
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			return dial(), nil
		},
	})
}

// NoBackoff lets go-redis try again at once.
const NoBackoff time.Duration = -1

// newRedis is the client of a node that a Coroutine uses.
func (c *Coroutine) newRedis(node int) *redis.Client {
	r := NewRedis(c.config.Retries, node, NoBackoff, func() net.Conn {
		id := c.conns
		c.conns++
		return NewConn(c.name, node, func(to *Conn, units []sim.Unit) error { return c.send(to, id, units) })
	})
	if c.sources {
		r.AddHook(sourceHook{c})
	}
	return r
}

// send parks the strand with what it sends until that is performed.
func (c *Coroutine) send(to *Conn, id int, units []sim.Unit) error {
	c.arrive()
	t := c.running
	if t == nil {
		if c.dead {
			return net.ErrClosed
		}
		outside()
	}
	for i := range units {
		units[i].Source = t.source
	}
	t.outbox = outbox{to, id, units}
	t.park(operation{kind: opCommand, label: LabelOf(units)})
	return nil
}

// A sourceHook notes which line of a client's code uses go-redis. There the
// stack is far shallower than at the seam, and walking it is a large part of
// what a command costs.
type sourceHook struct{ program *Coroutine }

func (h sourceHook) note() {
	h.program.arrive()
	if t := h.program.running; t != nil {
		t.source = callerSource()
	}
}

// DialHook is go-redis's.
func (sourceHook) DialHook(redis.DialHook) redis.DialHook { return nil }

// ProcessHook is go-redis's.
func (h sourceHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.note()
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook is go-redis's.
func (h sourceHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		h.note()
		return next(ctx, cmds)
	}
}

const (
	maxStrands = 32
	bufferSize = 4 << 10 // a transaction that is longer would be sent in parts
)
