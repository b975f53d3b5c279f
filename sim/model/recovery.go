package model

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
)

// This file decides lock-recovers. A fair run is a function: every state has one
// next round, so runs that meet go the same way from there. The model keeps the
// future of each state on the way, and each run ends where it meets an earlier
// one, of this hazard or another.

// A future is what happens to a state on its way to recovery.
type future struct {
	at       history.Millis // a client acquires then, or none does before
	steps    int32          // until then
	rounds   int32          // until time passes or the run ends; 0 if nothing is known
	busy     int32          // the only sim.Outlook.Busy for which it holds; anyBusy if time passes when all are idle
	acquires bool
}

const (
	// never is later than any moment.
	never   = history.Millis(1 << 62)
	anyBusy = -1
)

// holds reports whether the future is known to a run, up to its horizon.
func (f *future) holds(o sim.Outlook) bool {
	switch {
	case f.rounds == 0, !f.acquires && f.at <= o.Horizon, o.Steps+int(f.steps) > sim.MaxProbe:
		return false
	case f.busy != anyBusy:
		return o.Busy == int(f.busy)
	}
	return o.Busy+int(f.rounds) <= sim.MaxBusy+1 // all but the last round are not idle
}

// A turn is what a client does in a round.
type turn struct {
	client, env int32 // after it
	steps       int32
	acquires    bool
}

// recovery is what a model knows about fair runs.
type recovery struct {
	numbers []pairs.Map[int32] // of the env with the last clients, by their number without the first of them and by that
	counts  []int32            // of these
	futures []future           // by number of a whole state
	turns   []pairs.Map[turn]  // by client, then its state and the env
	turned  int                // turns
	path    []moment           // a buffer
	clients []int32            // the same
	probe   int32              // that has not run; unknown before the first trial
}

const unknown = -1

func newRecovery(clients int) recovery {
	return recovery{numbers: make([]pairs.Map[int32], clients), counts: make([]int32, clients), turns: make([]pairs.Map[turn], clients), probe: unknown}
}

func (r *recovery) bytes() int { return bytesPerFuture*len(r.futures) + bytesPerTurn*r.turned }

// number numbers a state of all clients, the probe included, and an env.
func (r *recovery) number(clients []int32, env int32) int32 {
	n := env
	for i, client := range slices.Backward(clients) {
		if known := r.numbers[i].Get(n, client); known != nil {
			n = *known
			continue
		}
		r.numbers[i].Put(n, client, r.counts[i])
		n = r.counts[i]
		r.counts[i]++
	}
	if int(n) == len(r.futures) {
		r.futures = append(r.futures, future{})
	}
	return n
}

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
	return m.recovery.number(m.probed(clients), env)
}

// Recovers decides lock-recovers for a state without faults, of which Trial has
// returned the number. The error wraps sim.ErrUndecided if that takes too many
// steps, or ctx ends.
func (m *Model) Recovers(ctx context.Context, trial int32, clients []int32, env int32) (bool, error) {
	f := &fairRun{Model: m, ctx: ctx, at: m.probed(clients), env: env, number: trial, path: m.recovery.path[:0]}
	ok, err := sim.Recover(f, m.Config.TTL)
	if err == nil {
		f.remember(ok)
	}
	m.recovery.path = f.path
	return ok, err
}

// A fairRun is a world on its way to recovery.
type fairRun struct {
	*Model
	ctx     context.Context
	at      []int32 // the clients; the last is the probe
	env     int32
	number  int32 // of its state, or unknown
	path    []moment
	met     future // the known future of its state, if any
	outlook sim.Outlook
	idle    bool // after the last round
}

// A moment is the state before a round.
type moment struct {
	number, busy, steps int32 // the latter of sim.Outlook
	passes              bool  // time passes after the round
	waits               bool  // although not all clients are idle
}

// remember records the future of all states of the run.
func (f *fairRun) remember(acquires bool) {
	end := future{acquires: acquires, at: f.Now(), busy: anyBusy}
	switch {
	case f.met.rounds > 0:
		end = f.met
	case !acquires && f.Now() <= f.outlook.Horizon: // time would change nothing more
		end.at = never
	}
	steps := int32(f.outlook.Steps) + end.steps
	waits := end.busy != anyBusy
	for _, at := range slices.Backward(f.path) {
		if end.rounds++; at.passes {
			end.rounds, waits = 1, at.waits
		}
		end.steps, end.busy = steps-at.steps, anyBusy
		if waits {
			end.busy = at.busy
		}
		f.recovery.futures[at.number] = end
	}
}

// Foreseen is sim.Fair's.
func (f *fairRun) Foreseen(o sim.Outlook) (acquires, known bool) {
	f.outlook = o
	n := f.number
	if f.number = unknown; n == unknown {
		n = f.recovery.number(f.at, f.env)
	}
	if end := &f.recovery.futures[n]; end.holds(o) {
		f.met = *end
		return end.acquires && end.at <= o.Horizon, true
	}
	f.path = append(f.path, moment{number: n, busy: int32(o.Busy), steps: int32(o.Steps)})
	return false, false
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
	if !acquired {
		f.outlook.Steps += steps
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
	f.idle = true
	for who, client := range f.at {
		f.idle = f.idle && !f.CanStep(who, client, f.env)
	}
	return f.idle
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
	last := &f.path[len(f.path)-1]
	last.passes, last.waits = true, !f.idle
	passed, err := f.Happen(f.env, EnvAction{To: to})
	f.env = passed.Env
	return err
}
