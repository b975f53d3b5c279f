package world

import (
	"context"
	"errors"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// Recovers decides the invariant lock-recovers for the state after a schedule.
// It plays the schedule in a new world and ends all faults; dead and hung
// clients stay so. Then it adds a client that keeps trying, and lets all
// clients run in turn and time pass. ok reports whether a client acquires
// within RecoveryLeases leases; otherwise detail describes the key. The error
// wraps ErrUndecided if this takes too many steps. For ctx see World.Within.
func Recovers(ctx context.Context, config history.Config, subject program.Subject, s history.Schedule) (ok bool, detail lang.Message, err error) {
	w, err := after(ctx, config, subject, s)
	if err != nil {
		return false, detail, err
	}
	defer w.Close()
	return w.Recovers()
}

// after plays a schedule in a new world. Close it.
func after(ctx context.Context, config history.Config, subject program.Subject, s history.Schedule) (*World, error) {
	w, err := NewUnread(config, subject)
	if err != nil {
		return nil, err
	}
	w.Within(ctx)
	if err := w.Run(s); err != nil {
		w.Close()
		return nil, lang.Errorf("replay: %w", err)
	}
	return w, nil
}

// Recovers decides the same for the state of w. It runs in w itself; afterwards
// w can only be closed.
func (w *World) Recovers() (ok bool, detail lang.Message, err error) {
	if err := w.state.EndFaults(&w.parties); err != nil {
		return false, detail, err
	}
	w.addClient(sim.Probe)
	ok, err = sim.Recover(w.fair(), w.parties.Config.TTL)
	var stuck *program.StuckError
	if errors.As(err, &stuck) || errors.As(w.over, &stuck) {
		err = lang.Errorf("%s: %w: %w", history.LockRecovers, sim.ErrUndecided, stuck)
	}
	if !ok && err == nil {
		detail = lang.New("%v", lang.Join("; ", w.keyLeft()).And(w.got()...))
	}
	return ok, detail, err
}

// LostWakeup decides the invariant lost-wakeup for the state after a schedule;
// nil if it is not violated. ctx and the error are those of Recovers.
func LostWakeup(ctx context.Context, config history.Config, subject program.Subject, s history.Schedule) (*history.Violation, error) {
	w, err := after(ctx, config, subject, s)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.lostWakeup()
}

// Listens reports whether a living client waits for a message.
func (w *World) Listens() bool {
	for i := range w.parties.Names {
		if w.state.Listens(i, &w.parties) {
			return true
		}
	}
	return false
}

// Wakes reports whether a client waits for no message any more once all faults have
// ended, late requests have arrived and everybody has gone on for as long as
// Recovers would. It runs in w itself; afterwards w can only be closed.
func (w *World) Wakes(client string) (bool, error) {
	who := w.parties.Process(client)
	if err := w.state.EndFaults(&w.parties); err != nil {
		return false, err
	}
	f, horizon := w.fair(), w.Now()+sim.RecoveryLeases*w.parties.Config.TTL
	for rounds := 0; f.Now() <= horizon; rounds++ {
		steps, _, err := f.Round()
		if err != nil {
			return false, err
		}
		if rounds > maxWaking {
			return false, lang.Errorf("%s: %w", history.LostWakeup, sim.ErrUndecided)
		}
		if steps > 0 {
			continue
		}
		next, timed := f.Next()
		if !timed {
			break
		}
		if err := f.Pass(next); err != nil {
			return false, err
		}
	}
	return !w.state.Listens(who, &w.parties), nil
}

// maxWaking bounds the rounds of Wakes: a client that polls would go on for ever.
const maxWaking = 5_000

// lostWakeup is LostWakeup for the state of w, which can then only be closed.
func (w *World) lostWakeup() (*history.Violation, error) {
	if !w.Listens() {
		return nil, nil
	}
	if err := w.state.EndFaults(&w.parties); err != nil {
		return nil, err
	}
	who := w.state.Stranded(&w.parties)
	if who < 0 {
		return nil, nil
	}
	v := &history.Violation{Invariant: history.LostWakeup, Seq: len(w.events) - 1, Client: w.parties.Names[who], Key: w.parties.Config.Key(), Lost: history.LossIn(w.parties.Config, w.schedule)}
	if v.Seq >= 0 {
		v.Causes = []int{v.Seq}
	}
	if asleep, of := w.state.Asleep(who, &w.parties); asleep != "" {
		v.Client, v.Other = asleep, of
	}
	if ok, _, err := w.Recovers(); err != nil || !ok {
		return nil, err
	}
	return v, nil
}

// FindLostWakeup decides lost-wakeup for the end of a run, and returns the
// violation at an event after which nobody would be woken. ctx and the error are
// those of Recovers.
func FindLostWakeup(ctx context.Context, h history.History, subject program.Subject) (*history.Violation, error) {
	last, err := LostWakeup(ctx, h.Config, subject, h.Schedule)
	if last == nil || err != nil {
		return nil, err
	}
	bad, good := len(h.Schedule), 0 // nobody waits before the first action
	for bad-good > 1 {
		middle := (good + bad) / 2
		v, err := LostWakeup(ctx, h.Config, subject, h.Schedule[:middle])
		switch {
		case err != nil && !errors.Is(err, sim.ErrUndecided):
			return nil, err
		case v != nil:
			bad, last = middle, v
		default:
			good = middle
		}
	}
	return last, nil
}

// A fairWorld runs a world to its recovery.
type fairWorld struct {
	*World
	acquired bool // by any client
}

func (w *World) fair() *fairWorld {
	f := &fairWorld{World: w}
	w.parties.Emit = f.note
	return f
}

// note is emit for the events of a recovery. It keeps only what is asked about one,
// which can have tens of thousands of events: what changed keys, and attempts to
// acquire.
func (f *fairWorld) note(e history.Event) {
	f.acquired = f.acquired || e.Acquires()
	if len(e.Changes) > 0 || e.Kind == history.Invoke || unsuccessful(&e) {
		f.emit(e)
	} else {
		f.bytes += bytesOf(&e)
	}
}

// unsuccessful reports whether an event ended an attempt to acquire, but not by
// success.
func unsuccessful(e *history.Event) bool {
	switch e.Kind {
	case history.Fail, history.Unknown:
		return e.Op != history.OpRelease
	case history.Panic:
		return true
	}
	return e.Outcome == history.Refused
}

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
	return steps, f.acquired, err
}

// fairRound delivers late requests and lets each strand that can step take a
// step. It returns the number of steps.
func (f *fairWorld) fairRound() (steps int, err error) {
	if err := f.large(); err != nil {
		return 0, lang.Errorf("%s: %w: %w", history.LockRecovers, sim.ErrUndecided, err)
	}
	for i, name := range f.parties.Names {
		late := history.Action{Verb: history.Late, Client: name}
		for len(f.state.Abandoned) > 0 && f.state.Refusal(late, &f.parties).No() {
			if err := f.step(late); err != nil {
				return steps, err
			}
		}
		for id := 0; id < len(f.wants(i)); id++ {
			if !f.state.CanStep(i, id, &f.parties) {
				continue
			}
			if err := f.step(f.parties.OfStrand(history.Step, i, id)); err != nil {
				return steps, err
			}
			steps++
		}
	}
	return steps, nil
}

// Idle reports whether only time can make a difference.
func (f *fairWorld) Idle() bool {
	for i := range f.parties.Names {
		for id := range f.wants(i) {
			if f.state.CanStep(i, id, &f.parties) {
				return false
			}
		}
	}
	return true
}

// firstPlace returns the ephemeral znode that owns a lock of ZooKeeper.
func (w *World) firstPlace() (first server.KeyView, ok bool) {
	for _, k := range w.Keys() {
		is := history.InQueue(w.parties.Config.Key(), history.Change{Key: k.Key, After: &k.State})
		if is && (!ok || history.PlaceOf(k.Key) < history.PlaceOf(first.Key)) {
			first, ok = k, true
		}
	}
	return first, ok
}

// keyLeft returns which key, or node, kept everybody out, or that none did.
func (w *World) keyLeft() lang.Message {
	tried := sim.RecoveryLeases * w.parties.Config.TTL
	if k, ok := w.firstPlace(); ok {
		return lang.New("%s is still there after %v, while the session of %s lasts", k.Key, tried, strings.Fields(k.State.Value)[0])
	}
	for _, k := range w.Keys() {
		if k.Key != w.parties.Config.Key() {
			continue
		}
		left := lang.New("no TTL")
		if k.State.Deadline > 0 {
			left = lang.New("%s of its TTL left", k.State.Deadline-w.Now())
		}
		return lang.New("still %s after %v, %s", k.State.Value, tried, left)
	}
	return lang.New("nobody acquired within %v", tried)
}

// got says how the last attempt of each client to acquire has ended, or that it has not. Nothing is
// said of one that has acquired, and of one that is dead or hung.
func (w *World) got() (all []any) {
	for _, name := range append(slices.Clone(w.parties.Config.Clients), sim.Probe) {
		who, got := lang.Quote(name), lang.Message{}
		if name == sim.Probe {
			who = lang.New("a new client")
		}
		for _, e := range w.events {
			switch {
			case e.Client != name:
			case e.Kind == history.Invoke && e.Op == history.OpAcquire:
				got = lang.New("%v waits", who)
			case e.Outcome == history.Refused:
				got = lang.New("%v is refused", who)
			case unsuccessful(&e):
				got = lang.New("%v fails: %s", who, e.Text)
			case e.Kind == history.Return, e.Op == string(history.Crash), e.Op == string(history.Hang):
				got = lang.Message{}
			}
		}
		if !got.None() {
			all = append(all, got)
		}
	}
	return all
}

// lastBlow is the last action of a run that was a fault or changed the lock's key; 0
// for none.
func lastBlow(h history.History) int {
	for _, e := range slices.Backward(h.Events) {
		if e.Kind == history.Fault || slices.ContainsFunc(e.Changes, func(c history.Change) bool { return c.Key == h.Config.Key() }) {
			return e.Pick
		}
	}
	return 0
}

// FindOrphan decides lock-recovers for the end of a run. If it is violated,
// FindOrphan returns the violation, at an event after which the lock no longer
// recovered. ctx and the error are those of Recovers.
func FindOrphan(ctx context.Context, h history.History, subject program.Subject) (*history.Violation, error) {
	ok, detail, err := Recovers(ctx, h.Config, subject, h.Schedule)
	if ok || err != nil {
		return nil, err
	}
	// Go back in doubling steps to a prefix that recovers or is undecided. Then
	// bisect to the first action that ends this. A prefix that does not recover is
	// the dear one to check, so the action after which the key has stayed as it is,
	// or the last fault, is tried first: mostly it is that one.
	recovers := func(n int) bool {
		ok, _, e := Recovers(ctx, h.Config, subject, h.Schedule[:n])
		if !errors.Is(e, sim.ErrUndecided) {
			err = errors.Join(err, e)
		}
		return ok || e != nil
	}
	bad, good := len(h.Schedule), -1
	switch last := lastBlow(h); {
	case last == 0 || last >= bad:
	case !recovers(last):
		bad = last
	case last+1 < bad && !recovers(last+1):
		good, bad = last, last+1
	default:
		good = min(last+1, bad-1)
	}
	for step := 1; good < 0 && bad > 0; step *= 2 {
		if at := max(0, bad-step); recovers(at) {
			good = at
		} else {
			bad = at
		}
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
	v := sim.Orphaned(h.Config, h.Schedule[:bad], detail)
	if !v.FromTheStart() {
		for v.Seq < len(h.Events)-1 && h.Events[v.Seq].Pick < bad-1 {
			v.Seq++
		}
		// A lost reply comes after the command that it answers, in one action: what breaks is the loss.
		for _, e := range h.Events[v.Seq:] {
			if e.Pick == bad-1 && e.Kind == history.Fault {
				v.Seq = e.Seq
			}
		}
		v.Client, v.Causes = h.Events[v.Seq].Client, []int{v.Seq}
	}
	return &v, nil
}
