package sim

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"lockstep/sim/history"
)

// A thread is one strand of a client's code: its main program, or a background
// task such as a watchdog. It runs on a goroutine of its own, but only between
// World.resume and the next park, so that at any moment at most one runs.
type thread struct {
	world  *World
	client *client
	id     int
	name   string
	body   func()

	started  bool
	turn     atomic.Uint64
	ended    bool
	panicked bool
	slept    bool                     // at least once
	saw      Observation              // what its last step told it
	op       operation                // what it is about to do, while parked
	call     atomic.Pointer[operCall] // the operation of the lock that it is inside of
	wake     chan bool                // true: go on; false: the client is dead
	outbox   outbox                   // the command that it is about to send, while op is opCommand
	flight   *flight                  // the command that it waits for, once sent
	sleep    sleepState               // while op is opSleep
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

// An operation is what a parked thread will do at its next step.
type operation struct {
	kind   opKind
	label  string // a command's name or what is done to the resource
	text   string // the same in full; see thread.text for a command
	access Access // opResource
}

type outbox struct {
	conn  *conn
	units []unit
}

type sleepState struct {
	ctx   context.Context
	by    history.Millis
	until history.Millis
}

// text says in full what the thread is about to do.
func (t *thread) text() string {
	if t.op.kind == opCommand {
		return history.CommandText(t.outbox.units[0].shown)
	}
	return t.op.text
}

// The states of a thread's turn. A turn is a number that grows with each
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

// underWay says whether the world waits for the thread.
func underWay(turn uint64) bool { return turn%states == runs || turn%states == unwinds }

// park gives control back to the world until it resumes the thread. It does
// not return if the client has died meanwhile.
func (t *thread) park(op operation) {
	t.client.arrive()
	if t.client.dead {
		runtime.Goexit()
	}
	turn := t.turn.Load()
	if turn%states != runs || !t.turn.CompareAndSwap(turn, turn-runs) {
		t.client.arrive()
		outside()
	}
	t.op = op
	t.world.parked <- t
	if !<-t.wake {
		runtime.Goexit()
	}
}

// outside ends the program: a goroutine that the world did not start has come
// to the seam while the thread that it belongs to waits there. From here on who
// is first would decide, and no error that the lock might swallow would do.
func outside() {
	go panic(errOutside)
	select {}
}

// hand gives a thread that waits its turn, and wakes it or lets it begin.
func (w *World) hand(t *thread, state uint64) {
	w.since.Store(int64(len(w.schedule)))
	if w.handed.Swap(t) == nil {
		theWatch.add(w)
	}
	t.turn.Add(states + state)
	if t.started {
		t.wake <- state == runs
	} else {
		t.started = true
		go t.run()
	}
	<-w.parked
}

// resume lets the thread run until it parks or ends, or is given up.
func (w *World) resume(t *thread) {
	before := w.running
	w.running = t
	w.hand(t, runs)
	if w.stuck != nil {
		return // the thread's code may yet ask who runs
	}
	w.running = before
	if t.panicked {
		t.client.die() // as an unrecovered panic ends a process
	}
}

func (t *thread) run() {
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
			t.world.emit(t, history.Event{Kind: history.Panic, Text: printable(fmt.Sprint(reason)), Source: callerSource()})
			t.panicked = true
		}
		t.ended = true
		t.world.parked <- t
	}()
	t.enter()
	returned = true
}

// enter calls the thread's code. That t is printed in a stack trace tells
// whereabouts whose it is.
//
//go:noinline
func (t *thread) enter() {
	t.body()
	runtime.KeepAlive(t)
}

// kill unwinds the thread's goroutine. Its deferred calls run, but the first
// of them that touches the seam ends it for good, and one that does not end is
// left behind.
func (w *World) kill(t *thread) {
	if t.started && !t.ended && t.turn.Load() != lost {
		before := w.running
		w.running, w.unwinding = t, true
		w.hand(t, unwinds)
		w.running, w.unwinding = before, false
	}
	t.ended = true
}

// due returns when a thread that waits for time may go on, and whether it
// waits for time at all.
func (t *thread) due() (history.Millis, bool) {
	switch {
	case t.ended || t.client.dead || t.hangs():
		return 0, false
	case t.op.kind == opSleep && t.started && t.sleep.ctx.Err() == nil:
		return t.sleep.until, true
	case t.op.kind == opCommand && t.flight != nil && t.flight.failed == "" && !t.flight.answered():
		return t.flight.deadline, true
	}
	return 0, false
}

// hangs says whether the thread will never go on, though its process lives.
func (t *thread) hangs() bool { return t.id == 0 && t.client.hung }

// enabled says whether a step of the thread can be performed now.
func (t *thread) enabled(now history.Millis) bool {
	if t.ended || t.client.dead || t.hangs() {
		return false
	}
	at, waits := t.due()
	if waits && t.op.kind == opCommand && t.flight.onTheWay() && !t.flight.conn.node.Slow {
		return true // the step carries the command to the node and back
	}
	return !waits || at <= now
}
