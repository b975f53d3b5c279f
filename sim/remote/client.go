package remote

import (
	"context"
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A client is program.Code in another process.
type client struct {
	pool  *Pool
	index int // of its process in the pool
	begin begin
	ctx   context.Context
	calls program.Calls
	since int

	observed []program.Observed // all observations
	wants    []sim.Want
	known    bool // wants is current
	ended    bool

	in    *process // the process that has the client
	id    int      // the client's number there
	knows int      // the observations that the process has
	// What the code drew otherwise, and panicked.
	others []program.Other
}

// Within is program.Code's.
func (c *client) Within(ctx context.Context) {
	if ctx != nil {
		c.ctx = ctx
	}
}

// Show is program.Code's.
func (c *client) Show(number func() int) { c.calls.Number, c.begin.Show = number, true }

// Since is program.Code's.
func (c *client) Since(action int) { c.since = action }

// Slept is program.Code's.
func (c *client) Slept(int) bool { return true }

// told notes an observation.
func (c *client) told(o program.Observed) {
	c.known = false
	c.observed = append(c.observed, o)
}

// Walk is program.Code's.
func (c *client) Walk(steps []program.Stride) (gone int, did program.Did, err error) {
	a, err := c.ask(question{Ask: forWalk, Walk: steps})
	if err != nil {
		if a != nil {
			did = a.Did
		}
		return 0, did, err
	}
	gone = min(a.Gone, len(steps))
	for i := range steps[:min(gone+1, len(steps))] {
		c.told(steps[i].Observed)
	}
	c.knows = len(c.observed)
	c.drew(a)
	return gone, a.Did, nil
}

// drew notes what the code drew at the last observation, so that it does so in another process.
func (c *client) drew(a *answer) {
	if n := len(c.observed); n > 0 && a.Drew != 0 {
		c.observed[n-1].Drew = a.Drew
	}
}

// Observe is sim.Program's. An error is a *program.StuckError, wraps ErrEnded,
// or describes code that is not deterministic.
func (c *client) Observe(_ sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	c.told(program.Observed{Strand: strand, Observation: o})
	a, err := c.ask(question{Ask: forEvents})
	if err != nil {
		return 0, nil, err
	}
	for i := range a.Events {
		c.calls.Renumber(&a.Events[i].Call)
	}
	c.drew(a)
	c.note(a.Wants)
	return 1, a.Events, nil
}

func (c *client) note(wants []sim.Want) {
	for i := range wants {
		c.calls.Renumber(&wants[i].During)
	}
	c.wants, c.known = wants, true
}

// Wants is sim.Program's. The next Observe returns its error.
func (c *client) Wants(sim.Ref) []sim.Want {
	if !c.known && !c.ended {
		if a, err := c.ask(question{Ask: forWants}); err == nil {
			c.note(a.Wants)
		}
	}
	return c.wants
}

// ask sends the current process a question, with the observations that it
// lacks. An answer beside an error has what code drew otherwise.
func (c *client) ask(q question) (*answer, error) {
	p, err := c.pool.running(c.ctx, c.index)
	switch {
	case err != nil && c.ctx.Err() != nil:
		return nil, c.unwanted()
	case err != nil:
		return nil, err
	}
	if c.in != p {
		c.in, c.id, c.knows = p, p.name(), 0
		q.Begin = &c.begin
	}
	q.Client, q.Told, q.Since = c.id, c.observed[c.knows:], c.since
	c.knows = len(c.observed)
	a, err := p.ask(c.ctx, &q)
	var why error // it cannot be adapted
	switch {
	case err == errGone, c.pool.parkAfter(p, err): // another client's code has ended it, or that of an ended one
		return c.ask(q)
	case err != nil && c.ctx.Err() != nil:
		return nil, c.unwanted()
	case errors.Is(err, ErrPanicked):
		return c.panicked(q, p, err)
	case odd(a, err):
		if why = c.pool.adaptAfter(p); why == nil {
			return c.ask(q)
		}
	}
	if err == nil && a.Full {
		p.settle()
		p.end(true)
	}
	switch {
	case err != nil:
		return nil, err
	case a.Stuck != nil && a.Stuck.AtMutex():
		p.settle()
		p.end(true)
		return nil, lang.Errorf("%w; %w", &program.StuckError{Stuck: *a.Stuck}, why)
	case a.Stuck != nil:
		p.settle()
		p.end(true)
		return nil, &program.StuckError{Stuck: *a.Stuck}
	case a.Wrong != "":
		return a, lang.Errorf("%s", a.Wrong)
	}
	a.Others, c.others = append(a.Others, c.others...), nil
	if c.index == 0 {
		c.pool.traits.Store(&a.Traits)
	}
	return a, nil
}

// maxPanics bounds the processes that a question ends that is to be answered otherwise.
const maxPanics = 64

// panicked answers a question that has ended its process by a panic. It asks it again, of
// another process and with marks: if that ends so too, it is known at which observation.
// Of a panic while time passes that is not known.
func (c *client) panicked(q question, p *process, err error) (*answer, error) {
	if !q.Careful {
		q.Careful = true
		return c.ask(q)
	}
	told := slices.Clip(c.observed)
	for _, step := range q.Walk {
		told = append(told, step.Observed)
	}
	at := p.mark.Observation - 1
	if at < 0 || at >= len(told) {
		return nil, err
	}
	a := &answer{Did: program.Did{Events: []history.Event{p.panic}, Wants: p.mark.Wants, Drew: program.Panics, Others: c.others}}
	if told[at].Strand < len(a.Wants) {
		a.Wants[told[at].Strand] = sim.Want{Ended: true}
	}
	switch drew := told[at].Drew; {
	case drew == 0 || drew == program.Panics:
		if a.Gone = max(0, at-len(c.observed)); q.Walk != nil && q.Walk[a.Gone].Says(a.Did) {
			a.Gone++
		}
		c.ended = true
		return a, nil
	case q.tries == maxPanics:
		return nil, err
	}
	c.others = append(c.others, program.Other{At: at, Did: a.Did})
	q.tries++
	return c.ask(q)
}

// unwanted is the error where the context ended before an answer came, which proves
// nothing about the lock.
func (c *client) unwanted() error {
	return &program.StuckError{Stuck: program.Stuck{Lock: c.begin.Config.Strategy, Client: c.begin.Name, For: program.Patience() / hurry}}
}

// Die is sim.Program's.
func (c *client) Die() {
	c.Wants(0)
	c.Close()
}

// Close is program.Code's.
func (c *client) Close() {
	if !c.ended && c.in != nil {
		c.in.forget(c.id)
	}
	c.ended = true
}
