package explain

import (
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// alongside plays the schedule with another lock, which may send other commands,
// and more or fewer. Each client keeps pace with its counterpart in the run.
// Where the counterpart reaches the next event of its work (the begin or end of
// an operation, an access to the resource), the client goes on until it has come
// as far. At any other step that sent a command it sends one. Faults and time
// are the same.
func (f *finder) alongside(w *world.World, updates, renewed bool) (ends []int, err error) {
	for i, a := range f.full {
		switch {
		case a.Verb.IsTime():
			err = f.pass(w, a.By, renewed)
		case a.Verb == history.Step && a.Strand == 0:
			err = f.follow(w, a, i, updates)
		case w.Refusal(a).No():
			err = w.Perform(a)
		case !steps(a):
			err = errNotThis
		}
		if err == nil && renewed {
			err = f.background(w)
		}
		if err != nil {
			return nil, err
		}
		ends = append(ends, len(w.History().Events))
	}
	return ends, nil
}

// most bounds how many steps replace one.
const most = 40

// follow advances a client as far as the run came with an action: to the same
// event of its work, or else one command further in the same operation.
func (f *finder) follow(w *world.World, a history.Action, action int, updates bool) error {
	as := func(e history.Event) bool { return e.Strand == 0 && marks(e, updates) }
	sends := func(e history.Event) bool { return e.Strand == 0 && e.Kind == history.Request }
	was, is := f.eventsUpTo(action), f.eventsUpTo(action+1)
	goal := count(is, a.Client, as)
	onward := goal == count(was, a.Client, as) // the run came to no such event
	if onward && (updates || count(is, a.Client, sends) == count(was, a.Client, sends)) {
		return nil
	}
	sent := count(w.History().Events, a.Client, sends)
	for range most {
		events := w.History().Events
		now := count(events, a.Client, as)
		if now > goal || now == goal && (!onward || count(events, a.Client, sends) > sent) || !w.Refusal(a).No() {
			return nil
		}
		if err := w.Perform(a); err != nil {
			return err
		}
	}
	return nil
}

// marks reports whether an event marks the progress of a client, whatever its
// lock.
func marks(e history.Event, updates bool) bool {
	if updates {
		return e.Op == history.ReadOp || writes(e)
	}
	return begins(e) || ends(e) || e.Kind == history.Resource || e.Kind == history.Panic
}

// pass lets time pass and, if renewed, background strands go on meanwhile.
func (f *finder) pass(w *world.World, by history.Millis, renewed bool) error {
	end := w.Now() + by
	for w.Now() < end {
		next := end
		for _, name := range f.history.Config.Clients {
			for _, t := range w.Strands(name) {
				if renewed && t.ID > 0 && t.Waits && !t.Ended && t.Until > w.Now() && w.Alive(name) {
					next = min(next, t.Until)
				}
			}
		}
		if err := w.Perform(history.Action{Verb: history.Advance, By: next - w.Now()}); err != nil {
			return err
		}
		if !renewed {
			continue
		}
		if err := f.background(w); err != nil {
			return err
		}
	}
	return nil
}

// background runs the background strands until they wait.
func (f *finder) background(w *world.World) error {
	for range most {
		moved := false
		for _, name := range f.history.Config.Clients {
			for _, t := range w.Strands(name) {
				a := history.Action{Verb: history.Step, Client: name, Strand: t.ID}
				if t.ID == 0 || !t.Enabled || !w.Refusal(a).No() {
					continue
				}
				if err := w.Perform(a); err != nil {
					return err
				}
				moved = true
			}
		}
		if !moved {
			return nil
		}
	}
	return nil
}
