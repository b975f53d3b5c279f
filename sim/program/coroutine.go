package program

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Coroutine is a Program: the code of one client, a strategy at work, of
// which at most one strand runs at a time and only while it is told something.
// It has no past but its own: the same observations lead it to the same place.
type Coroutine struct {
	config  history.Config
	subject Subject
	name    string
	number  func() int // numbers operations
	sources bool       // somebody asks which line sent a command

	dead    bool
	strands []*strand  // the main one first
	wants   []sim.Want // of each
	redis   []*redis.Client
	conns   int // it has opened
	tokens  int
	seen    []byte // what its strands observed, in order
	events  []history.Event

	parked  chan *strand // the running strand gives control back here
	running *strand
	handed  atomic.Pointer[strand] // the last that was let run, for the watch
	action  atomic.Int64           // of the schedule, since which it runs
	// written is touched after whatever a strand writes, so that who gives the
	// strand up may read it.
	written atomic.Int64
	lost    atomic.Bool     // some of its code was given up; see watch
	stuck   *StuckError     // the same, while it was alive
	ctx     context.Context // see Within
	// unwinding: a killed strand's deferred calls run
	unwinding bool
}

// New starts the client of that name, which may be sim.Probe. No code of it has
// run yet. Close it when done.
func New(config history.Config, subject Subject, name string) *Coroutine {
	calls := 0
	c := &Coroutine{
		config: config, subject: subject.In(config), name: name,
		number: func() int { calls++; return calls }, parked: make(chan *strand),
	}
	if name == sim.Probe {
		c.addStrand("", c.probe)
	} else {
		c.addStrand("", c.main)
	}
	c.look()
	return c
}

func (c *Coroutine) addStrand(name string, body func()) {
	c.strands = append(c.strands, &strand{
		program: c, name: name, body: body,
		op: operation{kind: opStart, label: "start", text: "its first step"}, wake: make(chan bool),
	})
}

// Wants is Program's. A Coroutine stands where it stands.
func (c *Coroutine) Wants(sim.Ref) []sim.Want { return c.wants }

// Within makes an end of ctx one of waiting for code that is stuck. It is called
// before anything is observed.
func (c *Coroutine) Within(ctx context.Context) { c.ctx = ctx }

// Show is for a client whose events somebody reads: number numbers its
// operations, and events name the lines of its code. It is called before
// anything is observed.
func (c *Coroutine) Show(number func() int) { c.number, c.sources = number, true }

// Since says which action of the schedule, from 1, lets its code run from now
// on, for a Stuck.
func (c *Coroutine) Since(action int) { c.action.Store(int64(action)) }

// Seen returns all that its strands have observed, in order. Where its code
// stands is a function of that.
func (c *Coroutine) Seen() []byte { return c.seen }

// Slept says whether a strand has slept at least once.
func (c *Coroutine) Slept(strand int) bool { return c.strands[strand].slept }

// Observe is Program's. An error is a *StuckError.
func (c *Coroutine) Observe(_ sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	c.events = c.events[len(c.events):]
	t := c.strands[strand]
	c.seen = o.Append(append(c.seen, byte('0'+strand)))
	t.learn(o)
	c.resume(t)
	if c.stuck != nil {
		return 0, nil, c.stuck
	}
	c.look()
	return 1, c.events, nil
}

// Die is Program's. It unwinds all code.
func (c *Coroutine) Die() {
	c.dead = true
	for _, t := range c.strands {
		c.kill(t)
	}
	if c.stuck == nil {
		c.look()
	}
}

// arrive is where code comes to the seam. What was given up ends here: nobody
// waits for it any more.
func (c *Coroutine) arrive() {
	if c.lost.Load() {
		runtime.Goexit()
	}
}

// Close unwinds all code, and closes what it has opened.
func (c *Coroutine) Close() {
	c.Die()
	theWatch.remove(c)
	if c.lost.Load() {
		return // its code may still be at work
	}
	for _, r := range c.redis {
		_ = r.Close() // it has no connection but ours
	}
}

// look notes what each strand is about to do.
func (c *Coroutine) look() {
	c.wants = make([]sim.Want, len(c.strands))
	for i, t := range c.strands {
		c.wants[i] = t.want()
	}
}

// emit notes what the running code does. The dead do nothing: what their code
// does while it unwinds is no event.
func (c *Coroutine) emit(e history.Event) {
	if !c.unwinding {
		c.events = append(c.events, e)
		c.written.Add(1)
	}
}

// env is what the client hands to its lock.
func (c *Coroutine) env() strategies.Env {
	for i := range c.subject.Nodes {
		c.redis = append(c.redis, newRedis(c, i))
	}
	env := strategies.Env{
		Nodes: c.redis, Clock: clientClock{c}, Key: c.config.Key(), TTL: c.config.TTL.Duration(),
		Token: func() string {
			c.arrive()
			c.tokens++
			return fmt.Sprintf("%s-%d", c.name, c.tokens)
		},
		Go: c.spawn,
	}
	if ttl, own := c.subject.TTL[c.name]; own {
		env.TTL = ttl.Duration()
	}
	if c.subject.Polls {
		env.Wait = c.config.Wait.Duration()
	}
	if len(c.redis) > 0 {
		env.Redis = c.redis[0]
	}
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
