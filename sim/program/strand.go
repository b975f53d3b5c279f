package program

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// A strand is one strand of a client's code: its main program, or a background
// task such as a watchdog. It runs on a goroutine of its own, but only between
// Coroutine.resume and the next park, so that at any moment at most one runs.
type strand struct {
	program *Coroutine
	name    string
	body    func()

	started bool
	turn    atomic.Uint64
	ended   bool
	slept   bool                     // at least once
	saw     sim.Observation          // what its last step told it
	op      operation                // what it is about to do, while parked
	call    atomic.Pointer[operCall] // the operation of the lock that it is inside of
	wake    chan bool                // true: go on; false: the client is dead
	source  string                   // the line of the code that uses go-redis
	outbox  outbox                   // the command that it is about to send, while op is opCommand
	sleep   sleepState               // while op is opSleep
}

// operCall numbers the acquire or release under way, for the events.
type operCall struct {
	id int
	op string
}

type opKind int

const (
	opStart opKind = iota
	opCommand
	opNow
	opSleep
	opResource
)

// An operation is what a parked strand will do at its next step.
type operation struct {
	kind   opKind
	label  string     // a command's name or what is done to the resource
	text   string     // the same in full; not of a command
	access sim.Access // opResource
}

type outbox struct {
	conn  *Conn
	id    int // of conn, among the client's
	units []sim.Unit
}

type sleepState struct {
	ctx context.Context
	by  time.Duration
}

// The states of a strand's turn. A turn is a number that grows with each
// hand-off by `states`, with the state in it, so that nobody takes one hand-off
// for another.
const (
	waits   uint64 = iota // at the seam, or not begun
	runs                  // its own code runs: the world waits
	unwinds               // the same, of a dead client
	ended
	lost // the world waits no longer
	states
)

// underWay says whether the world waits for the strand.
func underWay(turn uint64) bool { return turn%states == runs || turn%states == unwinds }

// park gives control back to the world until it resumes the strand. It does
// not return if the client has died meanwhile.
func (t *strand) park(op operation) {
	t.program.arrive()
	if t.program.dead {
		runtime.Goexit()
	}
	turn := t.turn.Load()
	if turn%states != runs || !t.turn.CompareAndSwap(turn, turn-runs) {
		t.program.arrive()
		outside()
	}
	t.op = op
	t.program.parked <- t
	if !<-t.wake {
		runtime.Goexit()
	}
}

var errOutside = lang.Errorf("program: Redis was used from a goroutine that the world did not start")

// outside ends the program: a goroutine that the world did not start has come
// to the seam while the strand that it belongs to waits there. From here on who
// is first would decide, and no error that the lock might swallow would do.
func outside() {
	go panic(errOutside)
	select {}
}

// hand gives a strand that waits its turn, and wakes it or lets it begin.
func (c *Coroutine) hand(t *strand, state uint64) {
	if c.handed.Swap(t) == nil {
		theWatch.add(c)
	}
	t.turn.Add(states + state)
	if t.started {
		t.wake <- state == runs
	} else {
		t.started = true
		go t.run()
	}
	<-c.parked
}

// resume lets the strand run until it parks or ends, or is given up.
func (c *Coroutine) resume(t *strand) {
	c.running = t
	c.hand(t, runs)
	if c.stuck == nil { // else the strand's code may yet ask who runs
		c.running = nil
	}
}

func (t *strand) run() {
	grow()
	returned := false
	defer func() {
		// Goexit, by which a dead client's code unwinds, is not recovered from.
		reason := recover()
		turn := t.turn.Load()
		switch {
		case turn == lost || underWay(turn) && !t.turn.CompareAndSwap(turn, ended):
			return
		case turn%states == waits:
			outside()
		}
		if reason == nil && !returned {
			reason = "its goroutine was ended by runtime.Goexit"
		}
		if reason != nil {
			t.program.emit(history.Event{Kind: history.Panic, Text: resp.Printable(fmt.Sprint(reason)), Source: callerSource()})
		}
		t.ended = true
		t.program.parked <- t
	}()
	t.enter()
	returned = true
}

// grow makes a stack as large as go-redis needs, while there is next to nothing
// on it that would have to be moved.
//
//go:noinline
func grow() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}

// enter calls the strand's code. That t is printed in a stack trace tells
// whereabouts whose it is.
//
//go:noinline
func (t *strand) enter() {
	t.body()
	runtime.KeepAlive(t)
}

// kill unwinds the strand's goroutine. Its deferred calls run, but the first
// of them that touches the seam ends it for good, and one that does not end is
// left behind.
func (c *Coroutine) kill(t *strand) {
	if t.started && !t.ended && t.turn.Load() != lost {
		before := c.running
		c.running, c.unwinding = t, true
		c.hand(t, unwinds)
		c.running, c.unwinding = before, false
	}
	t.ended = true
}

// learn lays out what the strand's code will find when it goes on.
func (t *strand) learn(o sim.Observation) {
	t.saw = o
	switch t.op.kind {
	case opCommand:
		t.outbox.conn.Answer(o)
	case opResource:
		t.op.access = o.Access
	}
}

// want says what the strand is about to do.
func (t *strand) want() sim.Want {
	w := sim.Want{Name: t.name, Ended: t.ended, Fresh: !t.started, Label: t.op.label, Text: t.op.text}
	switch t.op.kind {
	case opNow:
		w.Saw = sim.SawNow
	case opSleep:
		// A sleeper whose context is done need not wait.
		w.Sleeps, w.For = t.sleep.ctx.Err() == nil, t.sleep.by
	case opResource:
		w.Saw, w.Access = sim.SawAccess, t.op.access
	case opCommand:
		w.Saw, w.Node, w.Conn, w.Units = sim.SawReply, t.outbox.conn.Node, t.outbox.id, t.outbox.units
		if call := t.call.Load(); call != nil {
			w.During = call.id
		}
	}
	return w
}
