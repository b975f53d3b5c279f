package explain

import (
	"context"
	"errors"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A Run explains the violations of one run. It keeps the replays that several
// violations ask for. It is not safe for concurrent use.
type Run struct {
	history history.History
	subject program.Subject
	locks   func() []Alternative
	found   []history.Violation // of the run; nil until they are needed
	full    history.Schedule    // with all time given as lengths
	played  map[string]*outcome
}

// Of prepares a run to be explained. h is the whole history of its schedule.
// What locks returns is tried as remedies, in order.
func Of(h history.History, subject program.Subject, locks func() []Alternative) *Run {
	return &Run{history: h, subject: subject, locks: locks, full: timed(h), played: map[string]*outcome{}}
}

// A finder looks for the causes and remedies of one violation.
type finder struct {
	*Run
	narrator
	ctx    context.Context
	plan   history.Schedule // up to the action at which v shows
	worked int              // actions played so far
	tried  bool             // the violation is decided by trying what comes next
	// unreached is set if the client did not come as far in a replay.
	unreached bool
}

func (r *Run) finder(ctx context.Context, t narrator) *finder {
	return &finder{Run: r, narrator: t, ctx: ctx, tried: history.Tried(t.v.Invariant), plan: r.full[:t.harm().Pick+1]}
}

// open opens a world as the run's, in which so many actions are about to be played. Close it.
func (f *finder) open(actions int, subject program.Subject) (*world.World, error) {
	if err := f.work(actions); err != nil {
		return nil, err
	}
	return f.enter(f.history.Config, subject)
}

func (f *finder) enter(config history.Config, subject program.Subject) (*world.World, error) {
	w, err := world.New(config, subject)
	if err == nil {
		w.Within(f.ctx)
	}
	return w, err
}

// asking is about how many actions it takes to try what comes next.
const asking = 200

// work counts actions that are about to be played.
func (f *finder) work(actions int) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	f.worked += actions
	if f.tried {
		f.worked += asking
	}
	if f.worked > MaxWork {
		return ErrTooLong
	}
	return nil
}

// timed returns a run's schedule with each passing of time as a length.
func timed(h history.History) history.Schedule {
	full := slices.Clone(h.Schedule)
	for i := range full {
		if full[i].Verb.IsTime() {
			full[i] = history.Action{Verb: history.Advance}
		}
	}
	for _, e := range h.Events {
		if e.Kind == history.Clock {
			full[e.Pick].By += e.By
		}
	}
	return full
}

// steps reports whether an action is a step of a client or a message, and no
// fault.
func steps(a history.Action) bool {
	return a.Verb == history.Step || a.Verb == history.Send || a.Verb == history.Arrive
}

// candidates lists what can be left out, the more telling first.
func (f *finder) candidates() []Cause {
	var faults, leases, times, orders []Cause
	for i := len(f.plan) - 1; i >= 0; i-- {
		switch a := f.plan[i]; {
		case a.Verb.IsTime():
			leases = append(leases, f.leases(i)...)
			if !f.movesDeadline() {
				times = append(times, Cause{Kind: Time, Action: i, Seq: f.eventFor(i)})
			}
		case !steps(a):
			faults = append(faults, Cause{Kind: Fault, Action: i, Seq: f.eventFor(i), Client: a.Client})
		case a.Client != f.v.Client:
			orders = append(orders, Cause{Kind: Order, Action: i, Seq: f.eventFor(i), Client: a.Client})
		}
	}
	return slices.Concat(faults, leases, orders, times)
}

// movesDeadline reports whether the violation is a change of a deadline. At the same
// moment the same command would write the same deadline, and not show: that time
// passed is no cause of it.
func (f *finder) movesDeadline() bool {
	did := f.v.Seq
	if f.v.Invariant == history.OverwrittenLease {
		did = f.v.Causes[0]
	}
	return !f.tried && f.renews(f.history.Events[did])
}

// leases lists the keys that expired in an action, with their owners.
func (f *finder) leases(action int) (list []Cause) {
	for _, e := range f.eventsOf(action) {
		if e.Kind == history.Expire && f.change(e) != nil {
			list = append(list, Cause{Kind: Lease, Action: action, Seq: e.Seq, Client: f.at(e.Seq).Owner(e.Node)})
		}
	}
	return list
}

// eventsOf returns the events of an action.
func (f *finder) eventsOf(action int) []history.Event {
	return f.eventsUpTo(action + 1)[len(f.eventsUpTo(action)):]
}

// eventFor returns the event that shows an action best.
func (f *finder) eventFor(action int) int {
	best, most := f.v.Seq, -1
	for _, e := range f.eventsOf(action) {
		telling := 0
		switch {
		case len(e.Changes) > 0:
			telling = 4
		case e.Kind == history.Fault || e.Kind == history.Resource:
			telling = 3
		case e.Kind == history.Apply:
			telling = 2
		case e.Kind == history.Return || e.Kind == history.Request:
			telling = 1
		}
		if telling > most {
			best, most = e.Seq, telling
		}
	}
	return best
}

// long is the factor for leases that must not end.
const long = 1000

// without replays the run without some causes and reports whether the violation
// is gone although its client comes as far.
func (f *finder) without(causes ...Cause) (gone bool, err error) {
	w, err := f.open(len(f.plan), f.lengthened(causes))
	if err != nil {
		return false, err
	}
	defer w.Close()
	for i, a := range f.plan {
		a, played := f.spared(causes, i, a)
		if !played {
			continue
		}
		if !w.Refusal(a).No() {
			// Without the step no request is late, which may be the cause, if one that cannot be
			// late was sent before it.
			if a.Verb == history.Late && causes[0].Kind == Order && f.sent(i) < causes[0].Action {
				return false, nil
			}
			continue
		}
		if err := w.Perform(a); err != nil {
			return false, err
		}
	}
	if c := causes[0]; c.Kind == Fault && f.plan[c.Action].Verb == history.Cancel {
		if err := f.finish(w); err != nil {
			return false, err
		}
	}
	return f.gone(w)
}

// finish lets the client of the violation go on, and time pass while it waits: it ends its
// work, which a cancelled context has cut short.
func (f *finder) finish(w *world.World) error {
	for range asking {
		kinds := []history.Action{{Verb: history.Step}, {Verb: history.Tick}}
		next := slices.DeleteFunc(w.Enabled(kinds...), func(a history.Action) bool { return a.Client != f.v.Client && a.Client != "" })
		if len(next) == 0 || f.ahead(w.History().Events, ends) >= 0 {
			break
		}
		if err := w.Perform(next[0]); err != nil {
			return err
		}
	}
	return f.work(asking)
}

// lengthened returns the lock with endless leases for the clients whose leases
// are among the causes.
func (f *finder) lengthened(causes []Cause) program.Subject {
	s, ttl := f.subject, f.history.Config.TTL
	for _, c := range causes {
		if c.Kind == Lease {
			if s.TTL == nil {
				s.TTL = map[string]history.Millis{}
			}
			s.TTL[c.Client] = max(ttl, min(ttl*long, history.MaxTime/4))
		}
	}
	return s
}

// leavesOut reports whether an action is not played without the cause.
func (c Cause) leavesOut(i int, a history.Action) bool {
	switch c.Kind {
	case Fault, Time:
		return i == c.Action
	case Order:
		return i >= c.Action && a.Client == c.Client && steps(a)
	}
	return false
}

// spared returns the action that is played instead of one without some causes, if
// any. Without a fault of a message, the message goes through when it was sent.
func (f *finder) spared(causes []Cause, i int, a history.Action) (history.Action, bool) {
	for _, c := range causes {
		through := history.Action{Verb: history.Step, Client: a.Client, Strand: a.Strand}
		switch {
		case c.Kind == Fault && i == c.Action && (a.Verb == history.LoseRequest || a.Verb == history.LoseReply || a.Verb == history.LosePush):
			return through, true
		case c.Kind == Fault && f.plan[c.Action].Verb == history.Late && i == f.sent(c.Action):
			return through, true
		case c.leavesOut(i, a):
			return a, false
		}
	}
	return a, true
}

// sent is the action that sent the request that another action is about; -1 for
// none.
func (f *finder) sent(action int) int {
	for _, e := range f.eventsOf(action) {
		if r, ok := f.request(e); ok {
			return r.Pick
		}
	}
	return -1
}

// gone reports whether a world has come as far as the run without the violation.
func (f *finder) gone(w *world.World) (bool, error) {
	if f.tried {
		return f.ends(w)
	}
	h := w.History()
	if slices.ContainsFunc(history.Check(h), func(v history.Violation) bool { return f.same(h.Events, v) }) {
		return false, nil
	}
	gone := f.reached(h.Events, goOn(w))
	f.unreached = f.unreached || !gone
	return gone, nil
}

// ends reports whether all ends well in a world: the lock recovers, or the client of a
// lost wake-up is woken, by whoever goes on. An undecided check counts as no.
func (f *finder) ends(w *world.World) (bool, error) {
	if f.v.Invariant == history.LockRecovers {
		return recovers(w)
	}
	ok, err := w.Wakes(f.v.Client)
	if errors.Is(err, sim.ErrUndecided) || errors.Is(err, sim.ErrEndOfTime) {
		return false, nil
	}
	return ok, err
}

// same reports whether a violation of a replay is the one that is explained, and not
// one that the client commits earlier in the run too: in an earlier operation, or on
// another node.
func (f *finder) same(events []history.Event, v history.Violation) bool {
	if v.Invariant != f.v.Invariant || v.Client != f.v.Client {
		return false
	}
	is := placeOf(events, v)
	return is == placeOf(f.history.Events, f.v) || !slices.ContainsFunc(f.violations(), func(u history.Violation) bool {
		return u.Invariant == v.Invariant && u.Client == v.Client && u.Seq < f.v.Seq && placeOf(f.history.Events, u) == is
	})
}

// A place is where in the work of its client a violation is.
type place struct {
	operations int // begun, without those that failed and were begun once more
	leases     int // acquired
	node       string
}

// placeOf returns the place of a violation. A phantom hold is where its client
// acquired.
func placeOf(events []history.Event, v history.Violation) place {
	until := v.Seq
	if len(v.Causes) > 0 && events[v.Causes[0]].Client == v.Client && events[v.Causes[0]].Acquires() {
		until = v.Causes[0]
	}
	so := events[:until+1]
	return place{count(so, v.Client, begins) - count(so, v.Client, fails), count(so, v.Client, history.Event.Acquires), events[until].Node}
}

// violations are those of the run.
func (r *Run) violations() []history.Violation {
	if r.found == nil {
		r.found = history.Check(r.history)
	}
	return r.found
}
