package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lockstep/sim/history"
)

// RecoveryLeases is how many leases lock-recovers waits for somebody to
// acquire. A lock that needs longer does not clean up after a crash in any
// useful sense.
const RecoveryLeases = 20

// maxBusy is how many steps everybody may take before time moves on all the
// same: a client that polls without a pause would never let it.
const maxBusy = 50

// Probe is the name of the client that tries to acquire in the end. No world
// can have it: a client's name begins with a capital letter.
const Probe = "probe"

// ErrUndecided says that a question was given up: an answer would have taken
// more steps than are reasonable.
var ErrUndecided = errors.New("not decided")

// maxProbe is how many steps a recovery may take before it is given up.
const maxProbe = 20_000

// Recovers decides the invariant lock-recovers for the state that a schedule
// leads to. It plays the schedule in a world of its own, stops all faults
// (nodes come up again and partitions end; the dead and the hung stay so), lets everybody run in turn and time pass, adds
// one more client that keeps trying, and asks whether anybody acquires within
// RecoveryLeases leases. If nobody does, detail says what became of the key.
// The error wraps ErrUndecided if that takes too many steps. For ctx see World.Within.
func Recovers(ctx context.Context, config history.Config, subject Subject, s history.Schedule) (ok bool, detail string, err error) {
	w, err := New(config, subject)
	if err != nil {
		return false, "", err
	}
	defer w.Close()
	w.Within(ctx)
	if err := w.Run(s); err != nil {
		return false, "", fmt.Errorf("replay: %w", err)
	}
	return w.Recovers()
}

// Recovers decides the same for the state that w is in. What it tries happens
// in w itself, which is of no use afterwards but to be closed.
func (w *World) Recovers() (ok bool, detail string, err error) {
	from := len(w.events)
	if err := w.state.EndFaults(&w.parties); err != nil {
		return false, "", err
	}
	w.addClient(Probe)
	ok, err = Recover(&fairWorld{w, from}, w.parties.Config.TTL)
	var stuck *StuckError
	if errors.As(err, &stuck) || errors.As(w.over, &stuck) {
		err = fmt.Errorf("%s: %w: %w", history.LockRecovers, ErrUndecided, stuck)
	}
	if !ok && err == nil {
		detail = w.keyDetail(from)
	}
	return ok, detail, err
}

// A Fair is a world without faults in which everybody runs in turn.
type Fair interface {
	// Round lets late requests arrive and every thread that can take a step
	// take one. It says how many did and whether somebody acquired.
	Round() (steps int, acquired bool, err error)
	// Idle says whether only time can make a difference.
	Idle() bool
	Now() history.Millis
	// Next returns the next moment at which time makes one, if there is any.
	Next() (at history.Millis, ok bool)
	// Pass lets time pass to a moment. The error may wrap ErrEndOfTime.
	Pass(to history.Millis) error
	// Foreseen says whether somebody acquires up to a moment, if that is known
	// already. It is asked whenever time has passed.
	Foreseen(horizon history.Millis) (acquires, known bool)
}

// Recover runs a world that has a probe until somebody acquires or
// RecoveryLeases leases have passed. The error wraps ErrUndecided if that
// takes too many steps.
func Recover(f Fair, ttl history.Millis) (bool, error) {
	horizon := f.Now() + RecoveryLeases*ttl
	busy := 0 // rounds since time last moved
	for total := 0; f.Now() <= horizon; busy++ {
		if busy == 0 {
			if acquires, known := f.Foreseen(horizon); known {
				return acquires, nil
			}
		}
		steps, acquired, err := f.Round()
		if acquired || err != nil {
			return acquired, err
		}
		if total += steps; total > maxProbe {
			return false, fmt.Errorf("%s: %w: nobody acquired within %d steps", history.LockRecovers, ErrUndecided, maxProbe)
		}
		idle := f.Idle()
		if !idle && busy < maxBusy {
			continue
		}
		next, timed := f.Next()
		switch {
		case !timed && idle:
			return false, nil
		case !timed:
			next = f.Now() + ttl
		}
		if err := f.Pass(next); errors.Is(err, ErrEndOfTime) {
			return false, fmt.Errorf("%s: %w: %w", history.LockRecovers, ErrUndecided, err)
		} else if err != nil {
			return false, err
		}
		busy = 0
	}
	return false, nil
}

// A fairWorld is a world on its way to recovery.
type fairWorld struct {
	*World
	from int // the events before it have been looked at
}

// Foreseen is Fair's: a real world knows nothing of its future.
func (f *fairWorld) Foreseen(history.Millis) (acquires, known bool) { return false, false }

// Next is Fair's.
func (f *fairWorld) Next() (history.Millis, bool) { return f.state.NextDeadline(&f.parties) }

// Pass is Fair's.
func (f *fairWorld) Pass(to history.Millis) error {
	a := history.Action{Verb: history.Advance, By: to - f.Now()}
	if err := f.state.Refusal(a, &f.parties).Err(); err != nil {
		return err
	}
	return f.step(a)
}

// Round is Fair's.
func (f *fairWorld) Round() (steps int, acquired bool, err error) {
	steps, err = f.fairRound()
	acquired = slices.ContainsFunc(f.events[f.from:], history.Event.Acquires)
	f.from = len(f.events)
	return steps, acquired, err
}

// fairRound lets late requests arrive and every thread that can take a step
// take one. It returns how many did.
func (f *fairWorld) fairRound() (steps int, err error) {
	if err := f.large(); err != nil {
		return 0, fmt.Errorf("%s: %w: %w", history.LockRecovers, ErrUndecided, err)
	}
	for i, name := range f.parties.Names {
		for f.state.abandonedBy(i) >= 0 {
			if err := f.step(history.Action{Verb: history.Late, Client: name}); err != nil {
				return steps, err
			}
		}
		for id := 0; id < len(f.programs[i].wants); id++ {
			a := history.Action{Verb: history.Step, Client: name, Thread: id}
			if !f.state.Refusal(a, &f.parties).No() {
				continue
			}
			if err := f.step(a); err != nil {
				return steps, err
			}
			steps++
		}
	}
	return steps, nil
}

// Idle says whether only time can make a difference.
func (f *fairWorld) Idle() bool {
	for i, name := range f.parties.Names {
		for id := range f.programs[i].wants {
			if f.state.Refusal(history.Action{Verb: history.Step, Client: name, Thread: id}, &f.parties).No() {
				return false
			}
		}
	}
	return true
}

// keyDetail says what stands in the way of an acquisition: the key or, where it
// is free, what came of the last attempt among the events from the given one on.
func (w *World) keyDetail(from int) string {
	for _, k := range w.Keys() {
		if k.Key != w.parties.Config.Key() {
			continue
		}
		left := "no TTL"
		if k.State.Deadline > 0 {
			left = fmt.Sprintf("%v of its TTL left", k.State.Deadline-w.Now())
		}
		return fmt.Sprintf("still %s after %d leases, %s", k.State.Value, RecoveryLeases, left)
	}
	nobody := fmt.Sprintf("nobody acquired within %d leases", RecoveryLeases)
	for _, e := range slices.Backward(w.events[from:]) {
		switch {
		case e.Outcome == history.Refused:
			return nobody + "; the last attempt was refused"
		case e.Op != history.OpRelease && (e.Kind == history.Fail || e.Kind == history.Unknown):
			return nobody + "; the last attempt failed: " + e.Text
		case e.Kind == history.Panic:
			return nobody + "; the code panicked: " + e.Text
		}
	}
	return nobody
}

// FindOrphan decides lock-recovers for the end of a run and, if it is
// violated there, returns the violation at an event with which the lock ceased
// to recover. ctx and the error are those of Recovers.
func FindOrphan(ctx context.Context, h history.History, subject Subject) (*history.Violation, error) {
	ok, detail, err := Recovers(ctx, h.Config, subject, h.Schedule)
	if ok || err != nil {
		return nil, err
	}
	// Back in doubling steps to a prefix that recovers, or that cannot be
	// decided; then by halves to the first action after it that ends this.
	recovers := func(n int) bool {
		ok, _, e := Recovers(ctx, h.Config, subject, h.Schedule[:n])
		if !errors.Is(e, ErrUndecided) {
			err = errors.Join(err, e)
		}
		return ok || e != nil
	}
	bad := len(h.Schedule)
	good := bad
	for step := 1; good > 0; step *= 2 {
		if good = max(0, bad-step); recovers(good) {
			break
		}
		bad = good
	}
	for bad-good > 1 {
		if middle := (good + bad) / 2; recovers(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	if err != nil {
		return nil, err
	}
	v := Orphaned(h.Config, h.Schedule[:bad], detail)
	if !v.FromTheStart() {
		for v.Seq < len(h.Events)-1 && h.Events[v.Seq].Pick < bad-1 {
			v.Seq++
		}
		v.Client, v.Causes = h.Events[v.Seq].Client, []int{v.Seq}
	}
	return &v, nil
}

// Orphaned is the violation of lock-recovers to which a schedule leads. If that
// is empty, the lock never could be acquired, and nobody's action is to blame.
func Orphaned(c history.Config, s history.Schedule, detail string) history.Violation {
	v := history.Violation{Invariant: history.LockRecovers, Key: c.Key(), Detail: detail}
	if len(s) == 0 {
		v.Seq = -1
	}
	return v
}
