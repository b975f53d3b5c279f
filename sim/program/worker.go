package program

import (
	"context"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
	"lockstep/strategies"
)

// This file is what a client does with its lock. It is shown as the lock's code is.

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
	c.enter()
	c.work(ctx, lock, grant.Fence, c.config.Nest-1)
	c.release(lock, grant)
}

// work is the critical section: read the remaining amount, take time, write one
// less. Before the work, the holder may acquire again, as nested functions that
// lock do.
func (c worker) work(ctx context.Context, lock strategies.Lock, fence int64, nest int) {
	read := c.read(fence)
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
		c.write(read.Value-1, read.Version, fence)
	}
	c.leave()
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
