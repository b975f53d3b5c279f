package explain_test

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
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
	if v.Invariant == history.LostWakeup {
		if ok, err := w.Wakes(v.Client); err != nil || !ok {
			t.Errorf("%s: without %+v it is woken: %v, %v", id, c, ok, err)
		}
		return
	}
	replay := w.History()
	if slices.ContainsFunc(history.Check(replay), func(other history.Violation) bool { return sameAgain(h, v, replay, other) }) {
		t.Errorf("%s: violated without %+v too", id, c)
	}
	if was, is := came(h.Events[:v.Seq+1], v), came(replay.Events, v); is < was && !waits(replay.Events, v) && !needNotAsk(h, replay, v) {
		t.Errorf("%s: without %+v %s comes to %d of %d", id, c, v.Client, is, was)
	}
}

// sameAgain: a violation of a replay is that of the run unless the run has it besides,
// and earlier.
func sameAgain(h history.History, v history.Violation, replay history.History, other history.Violation) bool {
	if other.Invariant != v.Invariant || other.Client != v.Client {
		return false
	}
	at := where(replay.Events, other)
	for _, earlier := range history.Check(h) {
		if earlier.Invariant == v.Invariant && earlier.Client == v.Client && earlier.Seq < v.Seq && where(h.Events, earlier) == at {
			return at == where(h.Events, v)
		}
	}
	return true
}

// where numbers the operations and the leases of a violation's client until it began,
// and names its node.
func where(events []history.Event, v history.Violation) string {
	operations, leases := 0, 0
	for _, e := range events {
		if e.Client == v.Client {
			switch {
			case e.Kind == history.Invoke:
				operations++
			case e.Op == history.OpAcquire && (e.Kind == history.Fail || e.Kind == history.Unknown):
				operations--
			case e.Kind == history.Return && e.Outcome == history.Acquired:
				leases++
			}
		}
		if e.Seq == v.Seq || len(v.Causes) > 0 && e.Seq == v.Causes[0] && e.Client == v.Client && e.Outcome == history.Acquired {
			return fmt.Sprint(operations, leases, e.Node)
		}
	}
	return ""
}

// needNotAsk: a client that was refused in the run has got the lock, and asks no more.
func needNotAsk(h, replay history.History, v history.Violation) bool {
	got := func(events []history.Event) (n int) {
		for _, e := range events {
			if e.Client == v.Client && e.Kind == history.Return && e.Outcome == history.Acquired {
				n++
			}
		}
		return n
	}
	return (v.Invariant == history.OverwrittenLease || v.Invariant == history.ForeignRenewal) && got(replay.Events) > got(h.Events[:v.Seq+1])
}

// waits: a write is missing because its client was refused the lock that it had in the
// run, or still waits for it.
func waits(events []history.Event, v history.Violation) bool {
	if v.Invariant != history.StaleWrite && v.Invariant != history.LostUpdate {
		return false
	}
	last := history.Event{}
	for _, e := range events {
		if e.Client == v.Client && e.Strand == 0 && (e.Kind == history.Return || e.Kind == history.Invoke) {
			last = e
		}
	}
	return last.Op == history.OpAcquire && (last.Kind == history.Invoke || last.Outcome == history.Refused)
}

// sentAt is the action that sent the request that arrives too late with another one.
func sentAt(h history.History, action int) (pick int, late bool) {
	if h.Schedule[action].Verb != history.Late {
		return 0, false
	}
	call := 0
	for _, e := range h.Events {
		if e.Pick == action && e.Call != 0 {
			call = e.Call
		}
	}
	for _, e := range h.Events {
		if e.Kind == history.Request && e.Call == call {
			return e.Pick, true
		}
	}
	return 0, false
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
		case v.Invariant != history.PhantomHold && e.Op == history.OpAcquire && (e.Kind == history.Fail || e.Kind == history.Unknown):
			n-- // it is begun once more
		}
	}
	return n
}

// without plays a run up to a violation without a cause. Whatever cannot happen
// any more is left out.
func without(t *testing.T, h history.History, v history.Violation, c explain.Cause) *world.World {
	t.Helper()
	subject := testkit.Must(scenarios.SubjectOf(h.Config.Strategy))(t)
	if c.Kind == explain.Lease {
		subject.TTL = map[string]history.Millis{c.Client: h.Config.TTL * 1000}
	}
	w := testkit.Must(world.New(h.Config, subject))(t)
	sent, late := 0, false
	if c.Kind == explain.Fault {
		sent, late = sentAt(h, c.Action)
	}
	perform := func(a history.Action) {
		if w.Refusal(a).No() {
			testkit.OK(t, w.Perform(a))
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
		lost := c.Kind == explain.Fault && i == c.Action && (a.Verb == history.LoseReply || a.Verb == history.LoseRequest || a.Verb == history.LosePush)
		if lost || late && i == sent { // it goes through
			perform(history.Action{Verb: history.Step, Client: a.Client, Strand: a.Strand})
			continue
		}
		goesOn := a.Verb == history.Step || a.Verb == history.Send || a.Verb == history.Arrive
		out := (c.Kind == explain.Fault || c.Kind == explain.Time) && i == c.Action ||
			c.Kind == explain.Order && i >= c.Action && goesOn && a.Client == c.Client
		if !out {
			perform(a)
		}
	}
	step, tick := history.Action{Verb: history.Step, Client: v.Client}, history.Action{Verb: history.Tick}
	for range 20 { // whose work is not cut short ends
		if c.Kind != explain.Fault || h.Schedule[c.Action].Verb != history.Cancel || came(w.History().Events, v) >= came(h.Events[:v.Seq+1], v) {
			break
		}
		if !w.Refusal(step).No() {
			perform(tick)
		}
		perform(step)
	}
	if at, ok := w.NextExpiry(); ok && c.Kind == explain.Renewal {
		perform(history.Action{Verb: history.Advance, By: at - w.Now()})
	}
	return w
}
