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
	recovered, tried, err := f.recovery()
	if err != nil || recovered {
		return nil, err
	}
	var found []Cause
	for _, e := range tried {
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

// recovery reports whether the lock recovers, and the events of the clients that tried.
func (f *finder) recovery() (ok bool, tried []history.Event, err error) {
	w, err := f.after()
	if err != nil {
		return false, nil, err
	}
	defer w.Close()
	from := len(w.History().Events)
	ok, err = recovers(w)
	return ok, w.History().Events[from:], err
}

// freed reports whether the lock recovers once nobody has acted until its lease has
// ended. If no key has a TTL this changes nothing, and the lock does not.
func (f *finder) freed() (bool, error) {
	w, err := f.after()
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

// after is a world in which the violation has shown. Close it.
func (f *finder) after() (*world.World, error) {
	w, err := f.open(len(f.plan), f.subject)
	if err != nil {
		return nil, err
	}
	if err := w.Run(f.plan); err != nil {
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
func (t *narrator) renews(e history.Event) bool {
	return e.Kind == history.Apply && slices.ContainsFunc(e.Changes, func(c history.Change) bool {
		return c.Key == t.h.Config.Key() && c.Before != nil && c.After != nil &&
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
