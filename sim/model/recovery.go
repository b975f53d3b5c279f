package model

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
)

// This file decides lock-recovers. In a fair run each client's turn is a function of
// its state and the env, so the model keeps the turns.

// A turn is what a client does in a round.
type turn struct {
	client, env int32 // after it
	steps       int32
	acquires    bool
}

// recovery is what a model knows about fair runs.
type recovery struct {
	numbers []pairs.Map[int32] // of the env with the last clients, by their number without the first of them and by that
	turns   []pairs.Map[turn]  // by client, then its state and the env
	turned  int                // turns
	clients []int32            // a buffer
	probe   int32              // that has not run; unknown before the first trial
}

const unknown = -1

func newRecovery(clients int) recovery {
	return recovery{numbers: make([]pairs.Map[int32], clients), turns: make([]pairs.Map[turn], clients), probe: unknown}
}

func (r *recovery) bytes() int { return bytesPerTrial*len(r.numbers[0]) + bytesPerTurn*r.turned }

// probed returns the clients with a fresh probe. The next call invalidates it.
func (m *Model) probed(clients []int32) []int32 {
	r := &m.recovery
	if r.probe == unknown {
		r.probe = m.Fresh(len(clients))
	}
	r.clients = append(append(r.clients[:0], clients...), r.probe)
	return r.clients
}

// Trial numbers a state of the clients without the probe, and an env.
func (m *Model) Trial(clients []int32, env int32) int32 {
	r, n := &m.recovery, env
	for i, client := range slices.Backward(m.probed(clients)) {
		known := r.numbers[i].Get(n, client)
		if known == nil {
			known = r.numbers[i].Put(n, client, int32(len(r.numbers[i])))
		}
		n = *known
	}
	return n
}

// Recovers decides lock-recovers for a state without faults. The error wraps
// sim.ErrUndecided if that takes too many steps, or ctx ends.
func (m *Model) Recovers(ctx context.Context, clients []int32, env int32) (bool, error) {
	return sim.Recover(&fairRun{Model: m, ctx: ctx, at: m.probed(clients), env: env}, m.Config.TTL)
}

// A fairRun is a world on its way to recovery.
type fairRun struct {
	*Model
	ctx context.Context
	at  []int32 // the clients; the last is the probe
	env int32
}

func (f *fairRun) Now() history.Millis { return f.Model.Now(f.env) }

// Round is sim.Fair's.
func (f *fairRun) Round() (steps int, acquired bool, err error) {
	if err := f.ctx.Err(); err != nil {
		return 0, false, lang.Errorf("%w: %w", sim.ErrUndecided, err)
	}
	for who, client := range f.at {
		t, err := f.turn(who, client, f.env)
		if err != nil {
			return 0, false, err
		}
		f.at[who], f.env = t.client, t.env
		steps += int(t.steps)
		acquired = acquired || t.acquires
	}
	return steps, acquired, nil
}

// turn delivers a client's late requests and lets each strand that can take a
// step take one.
func (m *Model) turn(who int, client, env int32) (turn, error) {
	t := turn{client: client, env: env}
	if len(m.Client(who, client).Strands) == 0 && !m.hasLate(who, env) {
		return t, nil
	}
	if known := m.recovery.turns[who].Get(client, env); known != nil {
		return *known, nil
	}
	for m.hasLate(who, t.env) {
		late := m.Number(history.Action{Verb: history.Late, Client: m.Names[who]})
		if ok, err := m.take(who, late, &t); err != nil {
			return t, err
		} else if !ok {
			break
		}
	}
	for id := 0; id < len(m.Client(who, t.client).Strands); id++ {
		ok, err := m.take(who, m.StepOf(who, id), &t)
		if err != nil {
			return t, err
		}
		if ok {
			t.steps++
		}
	}
	m.recovery.turns[who].Put(client, env, t)
	m.recovery.turned++
	return t, nil
}

// hasLate reports whether a request of a client is in transit that its sender
// has abandoned.
func (m *Model) hasLate(who int, env int32) bool {
	return slices.ContainsFunc(m.envs.list[env].abandoned, func(a sim.Abandoned) bool { return a.Client == who })
}

// take performs an action of a turn if it is enabled, and reports whether it was.
func (m *Model) take(who int, action int16, t *turn) (bool, error) {
	to, ok, err := m.Act(who, t.client, t.env, action)
	if !ok || err != nil {
		return false, err
	}
	t.client, t.env = to.Client, to.Env
	t.acquires = t.acquires || slices.ContainsFunc(m.Events(to.Events), history.Event.Acquires)
	return true, nil
}

// Idle is sim.Fair's.
func (f *fairRun) Idle() bool {
	for who, client := range f.at {
		if f.CanStep(who, client, f.env) {
			return false
		}
	}
	return true
}

// Next is sim.Fair's.
func (f *fairRun) Next() (at history.Millis, ok bool) {
	at = f.NextExpiry(f.env)
	for who, client := range f.at {
		at = Sooner(at, f.Due(who, client, f.env))
	}
	return at, at > 0
}

// Pass is sim.Fair's.
func (f *fairRun) Pass(to history.Millis) error {
	passed, err := f.Happen(f.env, EnvAction{To: to})
	f.env = passed.Env
	return err
}
