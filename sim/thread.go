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
	runs     atomic.Bool // it has been resumed and has not parked since
	ended    bool
	panicked bool
	slept    bool        // at least once
	saw      Observation // what its last step told it
	op       operation   // what it is about to do, while parked
	call     *operCall   // the operation of the lock that it is inside of
	wake     chan bool   // true: go on; false: the client is dead
	outbox   outbox      // the command that it is about to send, while op is opCommand
	flight   *flight     // the command that it waits for, once sent
	sleep    sleepState  // while op is opSleep
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

// park gives control back to the world until it resumes the thread. It does
// not return if the client has died meanwhile.
func (t *thread) park(op operation) {
	if t.client.dead {
		runtime.Goexit()
	}
	if !t.runs.CompareAndSwap(true, false) {
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

// resume lets the thread run until it parks or ends.
func (w *World) resume(t *thread) {
	before := w.running
	w.running = t
	t.runs.Store(true)
	if t.started {
		t.wake <- true
	} else {
		t.started = true
		go t.run()
	}
	<-w.parked
	w.running = before
	if t.panicked {
		t.client.die() // as an unrecovered panic ends a process
	}
}

func (t *thread) run() {
	defer func() {
		// Goexit, by which a dead client's code unwinds, is not recovered from.
		if reason := recover(); reason != nil {
			t.world.emit(t, history.Event{Kind: history.Panic, Text: printable(fmt.Sprint(reason))})
			t.panicked = true
		}
		t.runs.Store(false)
		t.ended = true
		t.world.parked <- t
	}()
	t.body()
}

// kill unwinds the thread's goroutine. Its deferred calls run, but the first
// of them that touches the seam ends it for good.
func (w *World) kill(t *thread) {
	if t.started && !t.ended {
		before := w.running
		w.running, w.unwinding = t, true
		t.wake <- false
		<-w.parked
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
