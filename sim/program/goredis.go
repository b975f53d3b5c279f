package program

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// NewRedis returns a client of a node. Retries come from the configuration. backoff is the
// minimum and the maximum wait before a retry: NoBackoff for code on the wall clock, 0 for the
// defaults of go-redis.
func NewRedis(retries, node int, backoff time.Duration, dial func() net.Conn) *redis.Client {
	if retries == 0 {
		retries = -1 // go-redis's value for none
	}
	o := &redis.Options{MaxRetries: retries, MinRetryBackoff: backoff, MaxRetryBackoff: backoff}
	return redis.NewClient(Options(o, node, func() (net.Conn, error) { return dial(), nil }))
}

// Options returns those of a client of a node that retries as others say. All options of go-redis
// are set here; they disable what would act by itself or by the wall clock.
func Options(retries *redis.Options, node int, dial func() (net.Conn, error)) *redis.Options {
	return &redis.Options{
		Addr:            history.NodeName(node),
		Protocol:        2,
		MaxRetries:      retries.MaxRetries,
		MinRetryBackoff: retries.MinRetryBackoff,
		MaxRetryBackoff: retries.MaxRetryBackoff,
		// One connection for each strand and node: no strand waits for a free
		// one.
		PoolSize:         maxStrands,
		PipelinePoolSize: -1,
		DialerRetries:    1,
		ReadTimeout:      -1, // the configuration's Timeout is virtual
		WriteTimeout:     -1,
		ConnMaxIdleTime:  -1,
		ReadBufferSize:   512, // a longer reply is read in parts
		WriteBufferSize:  bufferSize,
		DisableIdentity:  true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode:         maintnotifications.ModeDisabled,
			EndpointType: maintnotifications.EndpointTypeNone, // otherwise it looks up the node's name in the DNS
		},
		Dialer: func(context.Context, string, string) (net.Conn, error) { return dial() },
	}
}

// EnvOf returns what an Env has wherever the code of a client runs. connect makes a client
// of a node.
func EnvOf(c history.Config, s Subject, name string, connect func(node int) *redis.Client) strategies.Env {
	if c.LockKey != "" && s.Start != nil && s.Server == sim.Redis { // the code makes that key of the usual one
		c.LockKey = history.Default().Key()
	}
	env := strategies.Env{Name: name, Key: c.Key(), TTL: c.TTL.Duration()}
	for node := range s.Nodes {
		if s.Server == sim.Redis {
			env.Nodes = append(env.Nodes, connect(node))
			env.Redis = env.Nodes[0]
		}
	}
	if ttl, own := s.TTL[name]; own {
		env.TTL = ttl.Duration()
	}
	if s.Polls {
		env.Wait = c.Wait.Duration()
	}
	return env
}

// NoBackoff makes go-redis retry at once.
const NoBackoff time.Duration = -1

// newRedis returns a Coroutine's client of a node.
func (c *Coroutine) newRedis(node int) *redis.Client {
	r := NewRedis(c.config.Retries, node, NoBackoff, func() net.Conn { return c.dial(node) })
	if c.sources {
		r.AddHook(sourceHook{c})
	}
	return r
}

// dial returns a connection to a node.
func (c *Coroutine) dial(node int) net.Conn {
	to := &conn{program: c}
	to.Conn = NewConn(c.subject.Server, c.name, node,
		func(_ *Conn, units []sim.Unit) error { return c.send(to, units) },
		func(*Conn) error { return c.receive(to) })
	return to
}

// send parks the strand until the world has performed the units.
func (c *Coroutine) send(to *conn, units []sim.Unit) error {
	t, err := c.sender()
	if err != nil {
		return err
	}
	if pong := to.Pong(units); pong != "" {
		to.Answer(sim.Observation{Kind: sim.SawPush, Reply: []byte(pong)})
		return nil
	}
	for i := range units {
		units[i].Source = t.source
	}
	c.pool.sends(to, slices.Index(c.strands, t), units)
	t.outbox = outbox{to, units}
	t.park(operation{kind: opCommand, label: LabelOf(units)})
	return nil
}

// receive parks the strand until a message comes over a connection, or the
// code closes it.
func (c *Coroutine) receive(from *conn) error {
	t, err := c.sender()
	if err != nil {
		return err
	}
	c.pool.sends(from, slices.Index(c.strands, t), nil)
	t.outbox = outbox{conn: from}
	t.park(operation{kind: opReceive, label: string(history.Receive)})
	return nil
}

// sender returns the running strand. It returns an error if the client is dead.
func (c *Coroutine) sender() (*strand, error) {
	c.arrive()
	if c.running == nil {
		if c.dead {
			return nil, net.ErrClosed
		}
		outside()
	}
	return c.running, nil
}

// A sourceHook records which line of a client's code calls go-redis. The stack
// is far shallower here than at the seam, and walking it is a large part of the
// cost of a command.
type sourceHook struct{ program *Coroutine }

func (h sourceHook) note() {
	h.program.arrive()
	if t := h.program.running; t != nil {
		t.source = CallerSource()
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
	bufferSize = 4 << 10 // a longer transaction would be sent in parts
)
