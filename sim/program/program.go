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

// main runs all rounds.
func (c worker) main() {
	lock := c.part()
	for range c.config.Rounds {
		if c.Context().Err() != nil {
			return
		}
		if u, ok := lock.(strategies.Updater); ok {
			c.update(u)
		} else {
			c.round(lock)
		}
	}
}

// round acquires, works and releases once.
func (c worker) round(lock strategies.Lock) {
	grant, ok := c.acquire(lock)
	if !ok {
		return
	}
	ctx := grant.Context
	if ctx == nil {
		ctx = c.Context()
	}
	c.Touch(sim.Access{Op: history.Enter})
	c.work(ctx, lock, grant.Fence, c.config.Nest-1)
	c.release(lock, grant)
}

// work is the critical section: read the remaining amount, take time, write one
// less. Before the work, the holder may acquire again, as nested functions that
// lock do.
func (c worker) work(ctx context.Context, lock strategies.Lock, fence int64, nest int) {
	read := c.Touch(sim.Access{Op: history.ReadOp, Fence: fence})
	admitted := read.Op != history.Refuse
	for range nest {
		grant, ok := c.acquire(lock)
		switch {
		case !ok:
		case c.config.Work > c.config.TTL:
			c.release(lock, grant)
		default:
			defer c.release(lock, grant)
		}
		admitted = admitted && ok
	}
	err := ctx.Err()
	if err == nil && c.config.Work > 0 {
		err = c.Sleep(ctx, c.config.Work.Duration())
	}
	if err != nil {
		gone := sim.Access{Op: history.Abandon}
		if c.Context().Err() != nil {
			gone.Outcome = history.Cancelled
		}
		c.Touch(gone)
		return
	}
	if admitted && read.Value > 0 {
		c.Touch(sim.Access{Op: history.WriteOp, Value: read.Value - 1, Based: read.Version, Fence: fence})
	}
	c.Touch(sim.Access{Op: history.Leave})
}

// acquire calls Lock until it succeeds or the client's wait ends.
func (c worker) acquire(lock strategies.Lock) (strategies.Grant, bool) {
	config := c.config
	attempts := 1
	if !c.subject.Polls {
		attempts += int(config.Wait / config.Poll)
	}
	for i := range attempts {
		if i > 0 && c.Sleep(c.Context(), config.Poll.Duration()) != nil {
			break
		}
		if grant, err := c.try(lock); err == nil {
			return grant, true
		}
	}
	return strategies.Grant{}, false
}

// try calls Lock once.
func (c worker) try(lock strategies.Lock) (grant strategies.Grant, err error) {
	err = c.call(history.OpAcquire, func() (history.Event, error) {
		grant, err = lock.Lock(c.Context())
		return history.Event{Outcome: history.Acquired, Token: resp.Printable(grant.Token), Fence: grant.Fence}, err
	})
	return grant, err
}

func (c worker) release(lock strategies.Lock, grant strategies.Grant) {
	_ = c.call(history.OpRelease, func() (history.Event, error) {
		return history.Event{Outcome: history.Released}, lock.Unlock(c.Context(), grant)
	})
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
	a := v.c.Touch(sim.Access{Op: history.ReadOp})
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
