package bubble

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A host is the program.Host of a task of a run.
type host struct {
	*run
	*task
}

// Lock is program.Host's.
func (h host) Lock(construct func(strategies.Env) strategies.Lock) strategies.Lock {
	h.mu.Lock()
	first := h.made == nil
	if first {
		h.made = make(chan struct{})
	}
	h.mu.Unlock()
	if first {
		defer close(h.made)
		h.lock = construct(h.env())
		return h.lock
	}
	<-h.made // to make it may take commands
	return h.lock
}

// env returns the environment of the lock of a process.
func (h host) env() (env strategies.Env) {
	c := h.b.config
	var session <-chan zk.Event
	unwatched(func() {
		if h.b.subject.Server == sim.ZooKeeper {
			h.zk, session = h.connectZooKeeper(c.TTL.Duration())
		}
		env = program.EnvOf(c, h.b.subject, h.b.name, func(node int) *redis.Client {
			return program.NewRedis(c.Retries, node, 0, func() net.Conn { return h.connect(node) })
		})
	})
	env.ZooKeeper, env.Session, env.Dial, env.Clock = h.zk, session, func() net.Conn { return h.connect(0) }, clock{h.run}
	env.Token = func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tokens++
		return fmt.Sprintf("%s-%d", h.b.name, h.tokens)
	}
	env.Go = func(_ string, task func()) { go task() }
	h.redis = env.Nodes
	return env
}

// Touch is program.Host's.
func (h host) Touch(a sim.Access) sim.Access {
	a.Resource = h.b.config.Resource
	op := &operation{main: inProgram(), access: a, text: a.Op}
	if h.b.sources {
		op.source = program.CallerSource()
	}
	_ = h.park(op) // a dead client does not return
	return op.access
}

// Sleep is program.Host's.
func (h host) Sleep(ctx context.Context, d time.Duration) error {
	h.live()
	if err := ctx.Err(); err != nil {
		return err
	}
	h.Emit(history.Event{Kind: history.Sleep, By: sim.Clock{}.Length(d)})
	return clock{h.run}.Sleep(ctx, d)
}

// Begin is program.Host's.
func (h host) Begin(string) (call int, end func(bool) program.Missing) {
	h.live()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	h.call, h.missing = h.calls, nil
	return h.call, func(failed bool) program.Missing {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, op := range h.slots {
			if failed && op != nil && !op.posted {
				h.note(op, sim.SawNothing)
			}
		}
		h.call = 0
		return h.missing
	}
}

// live ends the program of a dead client.
func (h host) live() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead {
		runtime.Goexit()
	}
}

// Emit is program.Host's.
func (h host) Emit(e history.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		if len(h.tasks) > 1 {
			e.Client = h.task.name
		}
		h.events = append(h.events, e)
	}
}

// Context is program.Host's.
func (h host) Context() context.Context { return h.task.ctx }

// A clock is the bubble's clock for locks that take one.
type clock struct{ *run }

func (clock) Now() time.Time { return time.Now() }

func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	c.timing(1)
	defer c.timing(-1)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// timing counts timers that have started or ended.
func (r *run) timing(more int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timers += more
}

// quiet reports whether it is certain, at rest, that time alone brings no
// goroutine to the seam.
func (r *run) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.subject.Timeless && r.timers == 0
}
