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

// A Host is what the program of a client runs on: code of ours on a Coroutine, or
// any code in a bubble.
type Host interface {
	// Env is what the client hands to its lock.
	Env() strategies.Env
	// Touch is one access to the resource, as the world carries it out.
	Touch(sim.Access) sim.Access
	// Sleep waits on the client's own clock.
	Sleep(ctx context.Context, d time.Duration) error
	// Begin begins an operation of the lock, and returns its number and what ends it.
	Begin(op string) (call int, end func())
	Emit(history.Event)
	// Context is what the client gives to its lock.
	Context() context.Context
}

// Run is the program that every client runs; sim.Probe only acquires.
func Run(h Host, config history.Config, subject Subject, name string) {
	w := worker{h, config, subject}
	if name == sim.Probe {
		w.probe()
	} else {
		w.main()
	}
}

// A worker is that program on a host.
type worker struct {
	Host
	config  history.Config
	subject Subject
}

// main acquires, works and releases, as often as it is to.
func (c worker) main() {
	lock := c.subject.New(c.Env())
	for range c.config.Rounds {
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

// work is the guarded work: read how much is left, take the time that it
// takes, write one less. The holder may acquire again before, as a function
// that locks does when a function that locks calls it.
func (c worker) work(ctx context.Context, lock strategies.Lock, fence int64, nest int) {
	read := c.Touch(sim.Access{Op: history.ReadOp, Fence: fence})
	admitted := read.Op != history.Refuse
	for range nest {
		grant, ok := c.acquire(lock)
		if ok {
			defer c.release(lock, grant)
		}
		admitted = admitted && ok
	}
	err := ctx.Err()
	if err == nil && c.config.Work > 0 {
		err = c.Sleep(ctx, c.config.Work.Duration())
	}
	if err != nil {
		c.Touch(sim.Access{Op: history.Abandon})
		return
	}
	if admitted && read.Value > 0 {
		c.Touch(sim.Access{Op: history.WriteOp, Value: read.Value - 1, Based: read.Version, Fence: fence})
	}
	c.Touch(sim.Access{Op: history.Leave})
}

// acquire calls Lock, again and again for as long as the client is to wait.
func (c worker) acquire(lock strategies.Lock) (strategies.Grant, bool) {
	config := c.config
	attempts := 1
	if !c.subject.Polls {
		attempts += int(config.Wait / config.Poll)
	}
	for i := range attempts {
		if i > 0 {
			_ = c.Sleep(c.Context(), config.Poll.Duration())
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

// update is a round without a lock: the strategy guards the resource itself.
func (c worker) update(u strategies.Updater) {
	_ = c.call(history.OpUpdate, func() (history.Event, error) {
		err := u.Update(c.Context(), versioned{c}, func(left int64) int64 { return max(0, left-1) })
		return history.Event{Outcome: history.Updated}, err
	})
}

// call runs one operation between its invocation and its end.
func (c worker) call(op string, do func() (history.Event, error)) error {
	id, end := c.Begin(op)
	c.Emit(history.Event{Kind: history.Invoke, Op: op, Call: id})
	e, err := do()
	end()
	e.Kind, e.Op, e.Call = history.Return, op, id
	switch {
	case err == nil:
	case errors.Is(err, strategies.ErrNotAcquired):
		e = history.Event{Kind: history.Return, Op: op, Call: id, Outcome: history.Refused}
	case errors.Is(err, strategies.ErrLost):
		e = history.Event{Kind: history.Return, Op: op, Call: id, Outcome: history.Lost}
	case errors.Is(err, strategies.ErrUnknown):
		e = history.Event{Kind: history.Unknown, Op: op, Call: id, Text: resp.Printable(strings.TrimPrefix(err.Error(), strategies.ErrUnknown.Error()+": "))}
	default:
		e = history.Event{Kind: history.Fail, Op: op, Call: id, Text: resp.Printable(err.Error())}
	}
	c.Emit(e)
	return err
}

// versioned is the resource as an optimistic strategy sees it.
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

// probe is the program of the client that only acquires.
func (c worker) probe() {
	lock := c.subject.New(c.Env())
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
