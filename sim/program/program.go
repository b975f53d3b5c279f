// Package program runs the code of the clients: a Coroutine is a sim.Program
// that runs a real strategy on real go-redis.
//
// Code runs from one park to the next: a command, a read of the clock, a sleep,
// an access to the resource. conn.go is the seam to go-redis. Code that needs
// seconds of real time between two parks is stuck (stuck.go): listeners of
// OnStuck get a report, then the run gives up the code, and Observe returns a
// *StuckError, which proves nothing about the lock.
package program

import (
	"context"
	"errors"
	"strings"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
	"lockstep/strategies"
)

// A Host runs the program of a client: a Coroutine, or a bubble for code that
// was not written for Lockstep.
type Host interface {
	// Lock makes the lock of the client's process with a constructor, unless another
	// goroutine of the process has made it.
	Lock(func(strategies.Env) strategies.Lock) strategies.Lock
	// Touch performs one access to the resource and returns its result.
	Touch(sim.Access) sim.Access
	// Sleep waits on the client's own clock.
	Sleep(ctx context.Context, d time.Duration) error
	// Begin begins an operation of the lock, and returns its number and a
	// function that ends it, and that is told whether it has failed.
	Begin(op string) (call int, end func(failed bool) Missing)
	Emit(history.Event)
	// Context returns the context that the client passes to its lock. It ends when the
	// observation is sim.SawCancel; the client then releases what it has, and ends.
	Context() context.Context
}

// NoLock is the panic of a Subject's New that makes none: its client does nothing.
type NoLock struct{}

// Run runs the program of a client: Config.Rounds rounds, or for sim.Probe a
// single acquisition.
func Run(h Host, config history.Config, subject Subject, name string) {
	w := worker{h, config, subject}
	if name == sim.Probe {
		w.probe()
	} else {
		w.main()
	}
}

// A worker is this program on a host.
type worker struct {
	Host
	config  history.Config
	subject Subject
}

// A Shared is the lock of a process of which each goroutine has a part of its own.
type Shared interface {
	strategies.Lock
	// Part returns the part of a goroutine.
	Part() strategies.Lock
}

// part returns the lock of the client: that of its process, or its part of that.
func (c worker) part() strategies.Lock {
	lock := c.Lock(c.subject.New)
	if s, ok := lock.(Shared); ok {
		return s.Part()
	}
	return lock
}

func (c worker) enter() { c.Touch(sim.Access{Op: history.Enter}) }

func (c worker) leave() { c.Touch(sim.Access{Op: history.Leave}) }

func (c worker) read(fence int64) sim.Access {
	return c.Touch(sim.Access{Op: history.ReadOp, Fence: fence})
}

func (c worker) write(value, based, fence int64) {
	c.Touch(sim.Access{Op: history.WriteOp, Value: value, Based: based, Fence: fence})
}

// update is a round without a lock: the strategy itself guards the resource.
func (c worker) update(u strategies.Updater) {
	_ = c.call(history.OpUpdate, func() (history.Event, error) {
		err := u.Update(c.Context(), versioned{c}, func(left int64) int64 { return max(0, left-1) })
		return history.Event{Outcome: history.Updated}, err
	})
}

// call runs one operation and emits its invocation and its return.
func (c worker) call(op string, do func() (history.Event, error)) error {
	id, end := c.Begin(op)
	c.Emit(history.Event{Kind: history.Invoke, Op: op, Call: id})
	e, err := do()
	missing := end(err != nil)
	e.Kind, e.Op, e.Call = history.Return, op, id
	switch {
	case err == nil && op == history.OpRelease && missing.nodes() > c.subject.Nodes/2:
		e = history.Event{Kind: history.Unknown, Op: op, Call: id, Text: "no reply to " + missing[0].command}
	case err == nil:
	case errors.Is(err, strategies.ErrNotAcquired):
		e = history.Event{Kind: history.Return, Op: op, Call: id, Outcome: history.Refused}
	case errors.Is(err, strategies.ErrLost):
		e = history.Event{Kind: history.Return, Op: op, Call: id, Outcome: history.Lost}
	case errors.Is(err, strategies.ErrUnknown), len(missing) > 0:
		e = history.Event{Kind: history.Unknown, Op: op, Call: id, Text: resp.Printable(strings.TrimPrefix(err.Error(), strategies.ErrUnknown.Error()+": "))}
	default:
		e = history.Event{Kind: history.Fail, Op: op, Call: id, Text: resp.Printable(err.Error())}
	}
	c.Emit(e)
	return err
}

// versioned is the resource for an optimistic strategy.
type versioned struct{ c worker }

func (v versioned) Read(context.Context) (value, version int64, err error) {
	a := v.c.read(0)
	return a.Value, a.Version, nil
}

func (v versioned) WriteIf(_ context.Context, value, version int64) error {
	a := v.c.Touch(sim.Access{Op: history.WriteOp, Value: value, Based: version, Conditional: true})
	if a.Op == history.Refuse {
		return strategies.ErrConflict
	}
	return nil
}

// probe is the program of sim.Probe, which only acquires.
func (c worker) probe() {
	lock := c.part()
	if u, ok := lock.(strategies.Updater); ok {
		c.update(u)
		return
	}
	poll := max(1, c.config.TTL/2)
	for {
		if _, err := c.try(lock); err == nil {
			return
		}
		_ = c.Sleep(c.Context(), poll.Duration())
	}
}
