package program

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Coroutine is a Program: the code of one client. At most one of its strands
// runs at a time, and only during an observation. It cannot return to an
// earlier state, but the same observations lead to the same state.
type Coroutine struct {
	config  history.Config
	subject Subject
	name    string
	number  func() int // numbers operations
	sources bool       // events name the lines of the code

	dead    bool
	strands []*strand  // the main one first
	wants   []sim.Want // of each
	redis   []*redis.Client
	pool    pool
	tokens  int
	events  []history.Event

	parked  chan *strand // the running strand gives control back here
	running *strand
	look    *time.Timer
	action  int // of the schedule, that started the code
	// written changes after each write of a strand, so that who gives up the strand may
	// read the results.
	written atomic.Int64
	lost    atomic.Bool     // some of its code was given up; see await
	stuck   *StuckError     // the same, before the client died
	ctx     context.Context // see Within
	given   context.Context // see Context
	cancel  context.CancelFunc
	// unwinding: the deferred calls of a killed strand run
	unwinding bool
}

func newCoroutine(config history.Config, subject Subject, name string) *Coroutine {
	calls := 0
	c := &Coroutine{
		config: config, subject: subject, name: name,
		number: func() int { calls++; return calls }, parked: make(chan *strand), look: time.NewTimer(defaultPatience),
	}
	c.given, c.cancel = context.WithCancel(context.Background())
	c.look.Stop()
	c.addStrand("", func() { Run(c, config, c.subject, name) })
	c.see()
	return c
}

func (c *Coroutine) addStrand(name string, body func()) {
	c.strands = append(c.strands, &strand{
		program: c, name: name, body: body,
		op: operation{kind: opStart, label: string(history.Start)}, wake: make(chan bool),
	})
}

// Wants is Program's. It ignores the Ref.
func (c *Coroutine) Wants(sim.Ref) []sim.Want { return c.wants }

// Within is Code's.
func (c *Coroutine) Within(ctx context.Context) { c.ctx = ctx }

// Show is Code's.
func (c *Coroutine) Show(number func() int) { c.number, c.sources = number, true }

// Since is Code's.
func (c *Coroutine) Since(action int) { c.action = action }

// Slept is Code's.
func (c *Coroutine) Slept(strand int) bool { return c.strands[strand].slept }

// Observe is Program's. An error is a *StuckError, or wraps ErrNondeterministic if the
// strand does not wait for such an observation.
func (c *Coroutine) Observe(_ sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	switch {
	case c.stuck != nil:
		return 0, nil, c.stuck
	case strand >= len(c.wants) || !c.wants[strand].Awaits(o.Kind):
		return 0, nil, lang.Errorf("%w: client %s does not wait for what it is told in thread %d", ErrNondeterministic, c.name, strand)
	case o.Kind == sim.SawCancel:
		c.cancel()
		c.see()
		return 1, nil, nil
	}
	c.events = c.events[len(c.events):]
	t := c.strands[strand]
	t.learn(o)
	c.resume(t)
	if c.stuck != nil {
		return 0, nil, c.stuck
	}
	c.see()
	return 1, c.events, nil
}

// Walk is Code's.
func (c *Coroutine) Walk(steps []Stride) (gone int, did Did, err error) {
	for i := range steps {
		_, did.Events, err = c.Observe(0, steps[i].Strand, steps[i].Observation)
		if did.Wants = c.wants; err != nil || !steps[i].Says(did) {
			return i, did, err
		}
	}
	return len(steps), did, nil
}

// Die is Program's. It unwinds all code.
func (c *Coroutine) Die() {
	c.dead = true
	for _, t := range c.strands {
		c.kill(t)
	}
	if c.stuck == nil {
		c.see()
	}
}

// arrive is called when code reaches the seam. It ends code that was given up.
func (c *Coroutine) arrive() {
	if c.lost.Load() {
		runtime.Goexit()
	}
}

// Close unwinds all code and closes its Redis clients.
func (c *Coroutine) Close() {
	c.Die()
	if c.lost.Load() {
		return // its code may still run
	}
	for _, r := range c.redis {
		_ = r.Close() // all its connections are Conns
	}
}

// see records what each strand is about to do.
func (c *Coroutine) see() {
	c.wants = make([]sim.Want, len(c.strands))
	for i, t := range c.strands {
		c.wants[i] = t.want()
	}
}

// Emit is Host's.
func (c *Coroutine) Emit(e history.Event) { c.emit(e) }

// Context is Host's.
func (c *Coroutine) Context() context.Context { return c.given }

// Touch is Host's.
func (c *Coroutine) Touch(a sim.Access) sim.Access {
	t := c.current()
	a.Resource = c.config.Resource
	t.park(operation{kind: opResource, label: a.Op, access: a})
	return t.op.access
}

// Sleep is Host's.
func (c *Coroutine) Sleep(ctx context.Context, d time.Duration) error {
	return clientClock{c}.Sleep(ctx, d)
}

// Begin is Host's.
func (c *Coroutine) Begin(op string) (call int, end func(bool) Missing) {
	t := c.current()
	call = c.number()
	t.call.Store(&operCall{call, op})
	t.missing = nil
	return call, func(bool) Missing {
		c.arrive()
		t.call.Store(nil)
		return t.missing
	}
}

// emit records an event of the running code. Code that unwinds after a kill
// emits none.
func (c *Coroutine) emit(e history.Event) {
	if !c.unwinding {
		c.events = append(c.events, e)
		c.written.Add(1)
	}
}

// Lock is Host's.
func (c *Coroutine) Lock(make func(strategies.Env) strategies.Lock) strategies.Lock {
	return make(c.env())
}

func (c *Coroutine) env() strategies.Env {
	env := EnvOf(c.config, c.subject, c.name, c.newRedis)
	env.Dial, env.Clock, env.Go = func() net.Conn { return c.dial(0) }, clientClock{c}, c.spawn
	env.Token = func() string {
		c.arrive()
		c.tokens++
		return fmt.Sprintf("%s-%d", c.name, c.tokens)
	}
	c.redis = env.Nodes
	return env
}

func (c *Coroutine) spawn(name string, task func()) {
	c.arrive()
	c.addStrand(name, func() {
		c.emit(history.Event{Kind: history.Start, Text: name})
		task()
		c.arrive()
		c.emit(history.Event{Kind: history.End, Text: name})
	})
	c.written.Add(1)
}

// current returns the running strand.
func (c *Coroutine) current() *strand {
	c.arrive()
	if c.running == nil {
		panic(errOutside)
	}
	return c.running
}

// A clientClock is the strategies.Clock of a client. Both methods park the
// strand.
type clientClock struct{ c *Coroutine }

func (k clientClock) Now() time.Time {
	t := k.c.current()
	t.park(operation{kind: opNow, label: string(history.Read)})
	now := t.saw.Shown
	k.c.emit(history.Event{Kind: history.Read, Text: now.Format("15:04:05.000")})
	return now
}

func (k clientClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := k.c.current()
	t.sleep, t.slept = sleepState{ctx, d}, true
	t.park(operation{kind: opSleep, label: string(history.Sleep)})
	return ctx.Err()
}
