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
// task such as a watchdog. It has its own goroutine, which runs only from
// Coroutine.resume to the next park, so that at most one runs at a time.
type strand struct {
	program *Coroutine
	name    string
	body    func()

	started bool
	turn    atomic.Uint32
	ended   bool
	slept   bool                     // at least once
	saw     sim.Observation          // the last observation
	op      operation                // its next step, while parked
	call    atomic.Pointer[operCall] // the lock's current operation
	missing Missing                  // of that
	wake    chan bool                // true: continue; false: the client is dead
	source  string                   // the line of code that does op
	outbox  outbox                   // the command that it is about to send, if op is opCommand
	closed  []sim.Link               // the connections that it has closed since it was resumed
	sleep   sleepState               // if op is opSleep
}

// operCall is the current operation, for the events.
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
	opReceive
)

// An operation is the next step of a parked strand.
type operation struct {
	kind   opKind
	label  string     // as sim.Want has it
	access sim.Access // opResource
}

type outbox struct {
	conn  *conn
	units []sim.Unit
}

type sleepState struct {
	ctx context.Context
	by  time.Duration
}

// The states of a strand's turn.
const (
	waits   uint32 = iota // at the seam, or not started
	runs                  // its code runs; the world waits
	unwinds               // the same, for a dead client
	ended
	lost // given up; the world no longer waits
)

// park returns control to the world until it resumes the strand. It does not
// return if the client dies meanwhile.
func (t *strand) park(op operation) {
	t.program.arrive()
	if t.program.dead {
		runtime.Goexit()
	}
	if !t.turn.CompareAndSwap(runs, waits) {
		t.program.arrive()
		outside()
	}
	if t.program.sources && op.kind != opCommand { // its hook knows
		t.source = CallerSource()
	}
	t.op = op
	t.program.parked <- t
	if !<-t.wake {
		runtime.Goexit()
	}
}

var errOutside = lang.Errorf("program: Redis was used from a goroutine that the world did not start")

// outside ends the process: a goroutine that the world did not start has
// reached the seam while its strand is parked. From now on the Go scheduler
// would decide the order, and the lock might swallow an error.
func outside() {
	go panic(errOutside)
	select {}
}

// hand starts or wakes a waiting strand in a state, and waits until it parks.
func (c *Coroutine) hand(t *strand, state uint32) {
	t.turn.Store(state)
	if t.started {
		t.wake <- state == runs
	} else {
		t.started = true
		go t.run()
	}
	c.await(t, state)
}

// resume runs the strand until it parks, ends or is given up.
func (c *Coroutine) resume(t *strand) {
	c.running = t
	c.hand(t, runs)
	if c.stuck == nil { // otherwise the strand's code may still read running
		c.running = nil
	}
}

func (t *strand) run() {
	grow()
	returned := false
	defer func() {
		// recover does not catch Goexit, which unwinds the code of a dead
		// client.
		reason := recover()
		switch turn := t.turn.Load(); {
		case turn == waits:
			outside()
		case turn == lost || !t.turn.CompareAndSwap(turn, ended):
			return
		}
		if reason == nil && !returned {
			reason = "its goroutine was ended by runtime.Goexit"
		}
		if reason != nil {
			t.program.emit(history.Event{Kind: history.Panic, Text: resp.Printable(fmt.Sprint(reason)), Source: CallerSource()})
		}
		t.ended = true
		t.program.parked <- t
	}()
	t.enter()
	returned = true
}

// grow enlarges the stack to what go-redis needs while it is almost empty, and
// so cheap to move.
//
//go:noinline
func grow() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}

// enter calls the strand's code. whereabouts finds the strand by the t in the
// stack trace.
//
//go:noinline
func (t *strand) enter() {
	t.body()
	runtime.KeepAlive(t)
}

// kill unwinds the strand's goroutine. Its deferred calls run; the first that
// touches the seam ends the goroutine, and one that does not end is given up.
func (c *Coroutine) kill(t *strand) {
	if t.started && !t.ended && t.turn.Load() != lost {
		before := c.running
		c.running, c.unwinding = t, true
		c.hand(t, unwinds)
		c.running, c.unwinding = before, false
	}
	t.ended = true
}

// learn records what the strand's code observes when it continues.
func (t *strand) learn(o sim.Observation) {
	t.saw, t.closed = o, nil
	switch t.op.kind {
	case opCommand, opReceive:
		t.outbox.conn.Answer(o)
		if t.op.kind == opCommand {
			t.missing.Note(t.outbox.conn.Node, t.outbox.units, o.Kind)
		}
	case opResource:
		t.op.access = o.Access
	}
}

// want returns what the strand is about to do.
func (t *strand) want() sim.Want {
	w := sim.Want{Name: t.name, Ended: t.ended, Fresh: !t.started, Label: t.op.label, Source: t.source, Closed: t.closed}
	switch t.op.kind {
	case opNow:
		w.Saw = sim.SawNow
	case opSleep:
		// A sleeper whose context has ended need not wait.
		w.Sleeps, w.For = t.sleep.ctx.Err() == nil, t.sleep.by
	case opResource:
		w.Saw, w.Access = sim.SawAccess, t.op.access
	case opCommand:
		w.Saw, w.Node, w.Conn, w.Units = sim.SawReply, t.outbox.conn.Node, t.outbox.conn.id, t.outbox.units
		w.Blocks = BlocksOf(w.Units)
		if call := t.call.Load(); call != nil {
			w.During = call.id
		}
	case opReceive:
		if t.outbox.conn.Ready() {
			break // it need not wait
		}
		w.Saw, w.Node, w.Conn = sim.SawPush, t.outbox.conn.Node, t.outbox.conn.id
	}
	if t.ended { // another strand may use its last connection, under a number of its own
		w.Conn = 0
	}
	return w
}
