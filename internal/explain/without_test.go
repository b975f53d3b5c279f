package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// checkWithout plays a run up to a violation without a cause. The same client must
// not violate the same invariant, though it comes as far.
func checkWithout(t *testing.T, id string, h history.History, v history.Violation, c explain.Cause) {
	t.Helper()
	w := without(t, h, v, c)
	defer w.Close()
	if v.Invariant == history.LockRecovers {
		ok, _, err := w.Recovers()
		if err != nil || !ok {
			t.Errorf("%s: without %+v it recovers: %v, %v", id, c, ok, err)
		}
		return
	}
	replay := w.History()
	if slices.ContainsFunc(history.Check(replay), func(other history.Violation) bool {
		return other.Invariant == v.Invariant && other.Client == v.Client
	}) {
		t.Errorf("%s: violated without %+v too", id, c)
	}
	if was, is := came(h.Events[:v.Seq+1], v), came(replay.Events, v); is < was {
		t.Errorf("%s: without %+v %s comes to %d of %d", id, c, v.Client, is, was)
	}
}

// came counts what says how far the client of a violation came.
func came(events []history.Event, v history.Violation) (n int) {
	for _, e := range events {
		switch {
		case e.Client != v.Client || v.Invariant == history.SelfDeadlock:
		case v.Invariant == history.StaleWrite || v.Invariant == history.LostUpdate:
			if e.Op == history.WriteOp || e.Op == history.Abandon || e.Kind == history.Resource && e.Op == history.Refuse {
				n++
			}
		case v.Invariant == history.PhantomHold && e.Acquires(),
			v.Invariant != history.PhantomHold && e.Kind == history.Invoke:
			n++
		}
	}
	return n
}

// without plays a run up to a violation without a cause. Whatever cannot happen
// any more is left out.
func without(t *testing.T, h history.History, v history.Violation, c explain.Cause) *world.World {
	t.Helper()
	subject, err := scenarios.SubjectOf(h.Config.Strategy)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind == explain.Lease {
		subject.TTL = map[string]history.Millis{c.Client: h.Config.TTL * 1000}
	}
	w, err := world.New(h.Config, subject)
	if err != nil {
		t.Fatal(err)
	}
	perform := func(a history.Action) {
		if w.Refusal(a).No() {
			if err := w.Perform(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	now := history.Millis(0)
	for i, a := range h.Schedule[:h.Events[v.Seq].Pick+1] {
		before := now
		for _, e := range h.Events {
			if e.Pick == i {
				now = e.At
			}
		}
		if a.Verb == history.Tick {
			a = history.Action{Verb: history.Advance, By: now - before}
		}
		goesOn := a.Verb == history.Step || a.Verb == history.Send || a.Verb == history.Arrive
		out := (c.Kind == explain.Fault || c.Kind == explain.Time) && i == c.Action ||
			c.Kind == explain.Order && i >= c.Action && goesOn && a.Client == c.Client
		if !out {
			perform(a)
		}
	}
	if at, ok := w.NextExpiry(); ok && c.Kind == explain.Renewal {
		perform(history.Action{Verb: history.Advance, By: at - w.Now()})
	}
	return w
}
