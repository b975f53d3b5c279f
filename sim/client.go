package sim

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"lockstep/sim/history"
	"lockstep/strategies"
)

// A client is one process: its threads, its clock, its connections.
type client struct {
	world   *World
	name    string
	dead    bool
	lost    atomic.Bool // some of its code was given up; see watch
	hung    bool
	cut     []string // the nodes from which it is cut off, sorted
	clock   clock
	threads []*thread // the main thread first
	redis   []*redis.Client
	conns   []*conn
	tokens  int
	seen    []byte // what its threads observed, in order
}

func (w *World) addClient(name string) {
	c := &client{world: w, name: name, clock: newClock()}
	w.clients = append(w.clients, c)
	c.addThread("", c.main)
}

func (c *client) addThread(name string, body func()) {
	t := &thread{
		world: c.world, client: c, id: len(c.threads), name: name, body: body,
		op: operation{kind: opStart, label: "start", text: "its first step"}, wake: make(chan bool),
	}
	c.threads = append(c.threads, t)
	c.world.threads++
}

// die unwinds all code of the client. Requests on their way stay there.
func (c *client) die() {
	c.dead = true
	for _, t := range c.threads {
		c.world.kill(t)
		t.flight = nil
	}
	c.world.flights = slices.DeleteFunc(c.world.flights, func(f *flight) bool {
		return f.client == c && !f.onTheWay()
	})
}

func (c *client) close() {
	if c.lost.Load() {
		return // its code may still be at work
	}
	for _, r := range c.redis {
		_ = r.Close() // it has no connection but ours
	}
}

// arrive is where code of a client comes to the seam. What was given up ends
// here: nobody waits for it any more.
func (c *client) arrive() {
	if c.lost.Load() {
		runtime.Goexit()
	}
}

// doing says what a client is about to do, for the event of its death.
func (c *client) doing() string {
	t := c.threads[0]
	switch {
	case t.ended:
		return "when it is done"
	case t.flight != nil && t.flight.answered():
		return "before it reads the reply to " + t.text()
	case t.flight != nil:
		return "while " + t.text() + " is on the way"
	}
	return "before " + t.text()
}

// orphan returns the oldest request that is on its way without anybody who
// waits for it.
func (c *client) orphan() *flight {
	for _, f := range c.world.flights {
		if f.client == c && f.onTheWay() && f.thread.flight != f {
			return f
		}
	}
	return nil
}

// env is what the client hands to its lock.
func (c *client) env() strategies.Env {
	w := c.world
	for _, n := range w.nodes {
		c.redis = append(c.redis, newRedis(c, n))
	}
	env := strategies.Env{
		Nodes: c.redis, Clock: clientClock{c}, Key: w.config.Key(), TTL: w.config.TTL.Duration(),
		Token: func() string {
			c.arrive()
			c.tokens++
			return fmt.Sprintf("%s-%d", c.name, c.tokens)
		},
		Go: c.spawn,
	}
	if w.subject.Polls {
		env.Wait = w.config.Wait.Duration()
	}
	if len(c.redis) > 0 {
		env.Redis = c.redis[0]
	}
	return env
}

func (c *client) spawn(name string, task func()) {
	c.arrive()
	w := c.world
	id := len(c.threads)
	c.addThread(name, func() {
		w.emit(w.running, history.Event{Kind: history.Start, Text: name})
		task()
		c.arrive()
		w.emit(c.threads[id], history.Event{Kind: history.End, Text: name})
	})
	w.written.Add(1)
}
