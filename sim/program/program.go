package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
	"lockstep/strategies"
)

// main is the program that every client runs.
func (c *Coroutine) main() {
	lock := c.subject.New(c.env())
	for range c.config.Rounds {
		if u, ok := lock.(strategies.Updater); ok {
			c.update(u)
		} else {
			c.round(lock)
		}
	}
}

// round acquires, works and releases once.
func (c *Coroutine) round(lock strategies.Lock) {
	grant, ok := c.acquire(lock)
	if !ok {
		return
	}
	ctx := grant.Context
	if ctx == nil {
		ctx = context.Background()
	}
	c.touch(sim.Access{Op: history.Enter})
	c.work(ctx, lock, grant.Fence, c.config.Nest-1)
	c.release(lock, grant)
}

// work is the guarded work: read how much is left, take the time that it
// takes, write one less. The holder may acquire again before, as a function
// that locks does when a function that locks calls it.
func (c *Coroutine) work(ctx context.Context, lock strategies.Lock, fence int64, nest int) {
	read := c.touch(sim.Access{Op: history.ReadOp, Fence: fence})
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
		err = clientClock{c}.Sleep(ctx, c.config.Work.Duration())
	}
	if err != nil {
		c.touch(sim.Access{Op: history.Abandon})
		return
	}
	if admitted && read.Value > 0 {
		c.touch(sim.Access{Op: history.WriteOp, Value: read.Value - 1, Based: read.Version, Fence: fence})
	}
	c.touch(sim.Access{Op: history.Leave})
}

// touch is one access to the resource.
func (c *Coroutine) touch(a sim.Access) sim.Access {
	t := c.current()
	t.park(operation{kind: opResource, label: a.Op, text: a.Op + " " + c.config.Resource, access: a})
	return t.op.access
}

// acquire calls Lock, again and again for as long as the client is to wait.
func (c *Coroutine) acquire(lock strategies.Lock) (strategies.Grant, bool) {
	config := c.config
	attempts := 1
	if !c.subject.Polls {
		attempts += int(config.Wait / config.Poll)
	}
	for i := range attempts {
		if i > 0 {
			_ = clientClock{c}.Sleep(context.Background(), config.Poll.Duration())
		}
		if grant, err := c.try(lock); err == nil {
			return grant, true
		}
	}
	return strategies.Grant{}, false
}

// try calls Lock once.
func (c *Coroutine) try(lock strategies.Lock) (grant strategies.Grant, err error) {
	err = c.call(history.OpAcquire, func() (history.Event, error) {
		grant, err = lock.Lock(context.Background())
		return history.Event{Outcome: history.Acquired, Token: resp.Printable(grant.Token), Fence: grant.Fence}, err
	})
	return grant, err
}

func (c *Coroutine) release(lock strategies.Lock, grant strategies.Grant) {
	_ = c.call(history.OpRelease, func() (history.Event, error) {
		return history.Event{Outcome: history.Released}, lock.Unlock(context.Background(), grant)
	})
}

// update is a round without a lock: the strategy guards the resource itself.
func (c *Coroutine) update(u strategies.Updater) {
	_ = c.call(history.OpUpdate, func() (history.Event, error) {
		err := u.Update(context.Background(), versioned{c}, func(left int64) int64 { return max(0, left-1) })
		return history.Event{Outcome: history.Updated}, err
	})
}

// call runs one operation between its invocation and its end.
func (c *Coroutine) call(op string, do func() (history.Event, error)) error {
	t := c.current()
	id := c.number()
	before := t.call.Load()
	t.call.Store(&operCall{id, op})
	c.emit(history.Event{Kind: history.Invoke, Op: op, Call: id})
	e, err := do()
	c.arrive()
	t.call.Store(before)
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
	c.emit(e)
	return err
}

// versioned is the resource as an optimistic strategy sees it.
type versioned struct{ c *Coroutine }

func (v versioned) Read(context.Context) (value, version int64, err error) {
	a := v.c.touch(sim.Access{Op: history.ReadOp})
	return a.Value, a.Version, nil
}

func (v versioned) WriteIf(_ context.Context, value, version int64) error {
	a := v.c.touch(sim.Access{Op: history.WriteOp, Value: value, Based: version, Conditional: true})
	if a.Op == history.Refuse {
		return strategies.ErrConflict
	}
	return nil
}

// A clientClock is the strategies.Clock of a client. Reading it and sleeping
// are points at which the world decides who goes on.
type clientClock struct{ c *Coroutine }

func (k clientClock) Now() time.Time {
	t := k.c.current()
	t.park(operation{kind: opNow, label: "now", text: "read its clock"})
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
	t.park(operation{kind: opSleep, label: "sleep", text: fmt.Sprintf("sleep %v", sim.Clock{}.Length(d))})
	return ctx.Err()
}

// probe is the program of the client that only acquires.
func (c *Coroutine) probe() {
	lock := c.subject.New(c.env())
	if u, ok := lock.(strategies.Updater); ok {
		c.update(u)
		return
	}
	poll := max(1, c.config.TTL/2)
	for {
		if _, err := c.try(lock); err == nil {
			return
		}
		_ = clientClock{c}.Sleep(context.Background(), poll.Duration())
	}
}
