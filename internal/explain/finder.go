package explain

import (
	"context"
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A Run is a run whose violations can be explained. It keeps what it has played
// for one violation where another one asks for the same. It is not safe for use by
// several goroutines.
type Run struct {
	history history.History
	subject program.Subject
	locks   []Lock
	full    history.Schedule // with all time given as lengths; nil until it is needed
	played  map[string]*outcome
}

// Of prepares a run to be explained. h is all that the schedule of a world led to;
// locks are those that may do better, in the order in which they are tried.
func Of(h history.History, subject program.Subject, locks []Lock) *Run {
	return &Run{history: h, subject: subject, locks: locks, played: map[string]*outcome{}}
}

// A finder looks for what one violation of a run depends on.
type finder struct {
	*Run
	ctx    context.Context
	v      history.Violation
	plan   history.Schedule // up to the action with which v is known
	worked int              // actions that were played so far
}

func (r *Run) finder(ctx context.Context, v history.Violation) (*finder, error) {
	if r.full == nil {
		full, err := r.timed(ctx)
		if err != nil {
			return nil, err
		}
		r.full = full
	}
	return &finder{Run: r, ctx: ctx, v: v, plan: r.full[:r.history.Events[v.Seq].Pick+1]}, nil
}

// timed is the schedule of the run with all time given as lengths.
func (r *Run) timed(ctx context.Context) (full history.Schedule, err error) {
	w, err := world.New(r.history.Config, r.subject)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	w.Within(ctx)
	for _, a := range r.history.Schedule {
		before := w.Now()
		if err := w.Perform(a); err != nil {
			return nil, err
		}
		if a.Verb.IsTime() {
			a = history.Action{Verb: history.Advance, By: w.Now() - before}
		}
		full = append(full, a)
	}
	return full, nil
}

// steps says whether an action is a client's going on, or its message's, and no
// fault.
func steps(a history.Action) bool {
	return a.Verb == history.Step || a.Verb == history.Send || a.Verb == history.Arrive
}

// candidates lists what may be left out, the more telling first.
func (f *finder) candidates() []Cause {
	var faults, leases, times, orders []Cause
	for i := len(f.plan) - 1; i >= 0; i-- {
		switch a := f.plan[i]; {
		case a.Verb.IsTime():
			leases = append(leases, f.leases(i)...)
			times = append(times, Cause{Kind: Time, Action: i, Seq: f.eventFor(i)})
		case !steps(a):
			faults = append(faults, Cause{Kind: Fault, Action: i, Seq: f.eventFor(i), Client: a.Client})
		case a.Client != f.v.Client:
			orders = append(orders, Cause{Kind: Order, Action: i, Seq: f.eventFor(i), Client: a.Client})
		}
	}
	return slices.Concat(faults, leases, orders, times)
}

// leases lists the keys that ended while time passed, with whose they were.
func (f *finder) leases(action int) (list []Cause) {
	for _, e := range f.eventsOf(action) {
		if e.Kind == history.Expire && f.ofTheLock(e) {
			list = append(list, Cause{Kind: Lease, Action: action, Seq: e.Seq, Client: f.owner(e)})
		}
	}
	return list
}

func (f *finder) ofTheLock(e history.Event) bool {
	return slices.ContainsFunc(e.Changes, func(c history.Change) bool { return c.Key == f.history.Config.Key() })
}

// owner is who had made of the key what an event found there.
func (f *finder) owner(gone history.Event) string {
	for i := gone.Seq - 1; i >= 0; i-- {
		e := f.history.Events[i]
		if e.Kind == history.Apply && e.Node == gone.Node && slices.ContainsFunc(e.Changes, func(c history.Change) bool {
			return c.Key == f.history.Config.Key() && c.After != nil && (c.Before == nil || c.Before.Value != c.After.Value)
		}) {
			return e.Client
		}
	}
	return ""
}

// eventsOf returns what an action led to.
func (f *finder) eventsOf(action int) []history.Event {
	events := f.history.Events // in the order of their actions
	from, _ := slices.BinarySearchFunc(events, action, func(e history.Event, action int) int { return e.Pick - action })
	to, _ := slices.BinarySearchFunc(events, action+1, func(e history.Event, action int) int { return e.Pick - action })
	return events[from:to]
}

// eventFor is the event that shows an action best.
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

// asking is about how many actions it takes to ask whether a lock recovers.
const asking = 200

// work notes that so many actions are about to be played.
func (f *finder) work(actions int) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	f.worked += actions
	if f.v.Invariant == history.LockRecovers {
		f.worked += asking
	}
	if f.worked > MaxWork {
		return ErrTooLong
	}
	return nil
}

// long is how much longer leases are that shall not end.
const long = 1000

// without plays the run without some causes, and says whether the violation is
// gone by that although whoever it concerns comes as far.
func (f *finder) without(causes ...Cause) (gone bool, err error) {
	if err := f.work(len(f.plan)); err != nil {
		return false, err
	}
	w, err := world.New(f.history.Config, f.lengthened(causes))
	if err != nil {
		return false, err
	}
	defer w.Close()
	w.Within(f.ctx)
	for i, a := range f.plan {
		out := slices.ContainsFunc(causes, func(c Cause) bool { return c.leavesOut(i, a) })
		if out || !w.Refusal(a).No() {
			continue
		}
		if err := w.Perform(a); err != nil {
			return false, err
		}
	}
	return f.gone(w)
}

// lengthened is the lock with leases that do not end for those whose leases are
// among the causes, and for nobody else.
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

// leavesOut says whether an action of the plan is not played without the cause.
func (c Cause) leavesOut(i int, a history.Action) bool {
	switch c.Kind {
	case Fault, Time:
		return i == c.Action
	case Order:
		return i >= c.Action && a.Client == c.Client && steps(a)
	}
	return false
}

// gone says whether a world has come as far as the run, without the violation.
func (f *finder) gone(w *world.World) (bool, error) {
	if f.v.Invariant == history.LockRecovers {
		return recovers(w)
	}
	h := w.History()
	if slices.ContainsFunc(history.Check(h), func(v history.Violation) bool {
		return v.Invariant == f.v.Invariant && v.Client == f.v.Client
	}) {
		return false, nil
	}
	return f.reached(h.Events, goOn(w)), nil
}
