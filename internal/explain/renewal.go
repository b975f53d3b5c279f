package explain

import (
	"errors"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// renewals lists the clients that keep a lock from expiring while everybody
// tries to acquire it, if the lock would be free had nobody acted until its
// lease had ended.
func (f *finder) renewals() ([]Cause, error) {
	if f.v.Invariant != history.LockRecovers {
		return nil, nil
	}
	free, err := f.freed()
	if err != nil || !free {
		return nil, err
	}
	kept, err := f.recovery(f.plan)
	if err != nil || kept.ok {
		return nil, err
	}
	var found []Cause
	for _, e := range kept.events {
		same := func(c Cause) bool { return c.Client == e.Client && c.Strand == e.Strand }
		if f.renews(e) && !slices.ContainsFunc(found, same) {
			found = append(found, Cause{
				Kind: Renewal, Action: len(f.plan) - 1, Seq: f.renewal(e), Client: e.Client, Strand: e.Strand, Renews: e,
			})
		}
	}
	if len(found) > 1 { // without the client that probes whether the lock recovers
		found = slices.DeleteFunc(found, func(c Cause) bool { return c.Client == sim.Probe })
	}
	return found, nil
}

// A recovery is the outcome of a check for lock-recovers.
type recovery struct {
	ok     bool
	events []history.Event // of the clients that tried
}

// recovery plays a schedule and checks.
func (f *finder) recovery(s history.Schedule) (r recovery, err error) {
	w, err := f.after(s)
	if err != nil {
		return r, err
	}
	defer w.Close()
	from := len(w.History().Events)
	r.ok, err = recovers(w)
	r.events = w.History().Events[from:]
	return r, err
}

// freed reports whether the lock recovers once nobody has acted until its lease has
// ended. If no key has a TTL this changes nothing, and the lock does not.
func (f *finder) freed() (bool, error) {
	w, err := f.after(f.plan)
	if err != nil {
		return false, err
	}
	defer w.Close()
	if _, expires := w.NextExpiry(); !expires {
		return false, nil
	}
	if err := outlast(w); err != nil {
		return false, err
	}
	return recovers(w)
}

// after is a world after a schedule. Close it.
func (f *finder) after(s history.Schedule) (*world.World, error) {
	w, err := f.open(len(s), f.history.Config, f.subject)
	if err != nil {
		return nil, err
	}
	if err := w.Run(s); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// recovers reports whether the lock recovers in a world. An undecided check
// counts as no.
func recovers(w *world.World) (bool, error) {
	ok, _, err := w.Recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return false, nil
	}
	return ok, err
}

// outlast lets time pass until no key has a TTL.
func outlast(w *world.World) error {
	for {
		at, ok := w.NextExpiry()
		if !ok {
			return nil
		}
		if err := w.Perform(history.Action{Verb: history.Advance, By: at - w.Now()}); err != nil {
			return err
		}
	}
}

// renews reports whether an event extended the lock's lease.
func (f *finder) renews(e history.Event) bool {
	return e.Kind == history.Apply && slices.ContainsFunc(e.Changes, func(c history.Change) bool {
		return c.Key == f.history.Config.Key() && c.Before != nil && c.After != nil &&
			c.Before.Value == c.After.Value && c.Before.Deadline != c.After.Deadline
	})
}

// renewal returns the event of the run that shows such a renewal: the latest
// from the same line of code, or else the event at which the violation shows.
func (f *finder) renewal(like history.Event) int {
	for _, e := range slices.Backward(f.history.Events) {
		if f.renews(e) && e.Client == like.Client && e.Strand == like.Strand && e.Source == like.Source {
			return e.Seq
		}
	}
	return f.v.Seq
}
