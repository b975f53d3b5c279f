package explain

import (
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// A Replayed is a run that was replayed with a change.
type Replayed struct {
	Played history.History
	Ends   []int // how many events it has after each action of the schedule
	Shown  int   // its counterpart of the event that did the harm; -1 for none
}

func (f *finder) replayed(h history.History, ends []int) Replayed {
	return Replayed{Played: h, Ends: ends, Shown: f.instead(h.Events, ends[len(f.plan)-1])}
}

// An IfOnly is a what-if question about a violation, with the run that answers
// it.
type IfOnly struct {
	Asks   Sentence
	Came   Sentence // the outcome of that run
	Brings Sentence // what it violates that the run does not; "" for nothing
	Causes []int    // the causes that it leaves out; none for a remedy
	Remedy int      // the remedy that it applies; -1 for none
	Replayed
	Violations []history.Violation
}

// ifOnly replays the whole schedule without each cause, or without both of two.
// A cause of the kind Order is put off until after the harm, which says more
// than leaving it out; it is left out only where it leads to the harm itself.
// The remedies have been played already.
func (f *finder) ifOnly(a Account) (list []IfOnly, err error) {
	f.worked = 0
	both := IfOnly{Asks: f.say("if-neither", prose.Facts{}), Remedy: -1}
	var each []IfOnly
	for i, c := range a.Causes {
		if c.Either {
			both.Causes = append(both.Causes, i)
			continue
		}
		id := "if-" + string(c.Kind)
		if f.isHarm(c) {
			id = "if-stopped"
		}
		each = append(each, IfOnly{Asks: f.say(id, a.Why[i].Facts), Causes: []int{i}, Remedy: -1})
	}
	if len(both.Causes) > 0 {
		each = append(each, both)
	}
	for _, o := range each {
		var without []Cause
		for _, i := range o.Causes {
			without = append(without, a.Causes[i])
		}
		var again *history.Violation
		o.Replayed, again, err = f.otherwise(without)
		if errors.Is(err, ErrTooLong) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, i := range o.Causes {
			a.Causes[i].Delays = again != nil
		}
		list = append(list, f.came(o, again))
	}
	for i, r := range a.Remedies {
		o := IfOnly{Asks: f.say("if-"+r.way(), a.Saved[i].Facts), Remedy: i, Replayed: r.Replayed}
		list = append(list, f.came(o, nil))
	}
	return list, nil
}

// isHarm reports whether the client of a cause does the harm, to another client.
func (f *finder) isHarm(c Cause) bool {
	return c.Kind == Order && f.plan[len(f.plan)-1].Client == c.Client
}

// otherwise replays the whole schedule without some causes. again is the
// violation if it happens all the same, later.
func (f *finder) otherwise(causes []Cause) (r Replayed, again *history.Violation, err error) {
	w, err := f.open(len(f.full), f.lengthened(causes))
	if err != nil {
		return r, nil, err
	}
	defer w.Close()
	var later history.Schedule
	play := func(a history.Action) {
		if err == nil && w.Refusal(a).No() {
			err = w.Perform(a)
		}
	}
	var ends []int
	for i, a := range f.full {
		out := slices.IndexFunc(causes, func(c Cause) bool { return (i < len(f.plan) || f.isHarm(c)) && c.leavesOut(i, a) })
		through, spared := f.spared(causes, i, a)
		switch {
		case out < 0 || spared:
			play(through)
		case causes[out].Kind == Order && !f.isHarm(causes[out]):
			later = append(later, a)
		}
		if i == len(f.plan)-1 {
			for _, a := range later {
				play(a)
			}
			if causes[0].Kind == Renewal {
				err = errors.Join(err, outlast(w))
			}
		}
		ends = append(ends, len(w.History().Events))
	}
	if err != nil {
		return r, nil, err
	}
	r = f.replayed(w.History(), ends)
	if f.tried {
		if ok, err := f.ends(w); err != nil || ok {
			return r, nil, err
		}
		return r, &f.v, nil
	}
	return r, f.again(r), nil
}

// again returns the violation in a replay, if it happens there; nil if it does not.
func (f *finder) again(r Replayed) *history.Violation {
	return first(history.Check(r.Played), func(v history.Violation) bool { return f.same(r.Played.Events, v) })
}

// came adds the outcome, and what that run violates that the run does not.
func (f *finder) came(o IfOnly, again *history.Violation) IfOnly {
	o.Violations = history.Check(o.Played)
	facts := prose.Facts{Client: f.v.Client, Invariant: f.v.Invariant}
	id := "then-kept"
	switch other := f.byAnother(o.Violations); {
	case again == nil && f.v.Invariant == history.LockRecovers:
		id = "then-recovers"
	case again == nil && f.v.Invariant == history.LostWakeup:
		id = "then-woken"
	case again != nil && f.tried:
		o.Violations = append(o.Violations, *again)
		id = "then-never"
		if f.v.Invariant == history.LostWakeup {
			id = "then-asleep"
		}
	case again != nil:
		facts.At = o.Played.Events[again.Seq].At.String()
		id = "then-later"
	case other != nil:
		facts.Other, facts.At = other.Client, o.Played.Events[other.Seq].At.String()
		id = "then-another"
	}
	o.Came = f.say(id, facts)
	if b := f.brought(o.Violations); b != nil {
		o.Brings = f.say("then-brings", prose.Facts{Client: b.Client, Invariant: b.Invariant, At: o.Played.Events[b.Seq].At.String()})
	}
	o.Came.Shown = o.shown()
	return o
}

// byAnother returns the first violation of the same invariant by another client; nil
// if there is none.
func (f *finder) byAnother(found []history.Violation) *history.Violation {
	return first(found, func(v history.Violation) bool { return v.Invariant == f.v.Invariant && v.Client != f.v.Client })
}

// brought returns the first violation of an invariant that the run does not violate;
// nil if there is none.
func (f *finder) brought(found []history.Violation) *history.Violation {
	return first(found, func(v history.Violation) bool {
		return v.Invariant != f.v.Invariant && history.FirstOf(f.violations(), v.Invariant) < 0
	})
}

func first(found []history.Violation, is func(history.Violation) bool) *history.Violation {
	for i := range found {
		if is(found[i]) {
			return &found[i]
		}
	}
	return nil
}

// shown is the transcript's line for the counterpart of the harm.
func (r Replayed) shown() lang.Message {
	l, _ := r.Played.LineOf(r.Shown)
	if r.Shown >= 0 && r.Played.Events[r.Shown].Op == history.Refuse { // the resource acts, not the client
		return lang.New("%s: %s", l.Who, l.Text)
	}
	return l.Said()
}

// way is how a remedy differs from the run.
func (r Remedy) way() string {
	switch {
	case r.Lock == "":
		return "longer"
	case r.Renewed:
		return "renewed"
	}
	return "lock"
}
