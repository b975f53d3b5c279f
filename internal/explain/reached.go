package explain

import (
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// reached says whether the client that a violation concerns has come as far as
// in the run. Otherwise that the violation is gone would prove nothing.
func (f *finder) reached(events []history.Event, goesOn map[string]bool) bool {
	run := f.history.Events[:f.v.Seq+1]
	who := f.v.Client
	switch f.v.Invariant {
	case history.StaleWrite, history.LostUpdate:
		return count(events, who, writes) >= count(run, who, writes)
	case history.PhantomHold:
		return count(events, who, history.Event.Acquires) >= count(run, who, history.Event.Acquires)
	case history.SelfDeadlock:
		return count(events, who, begins) > 0 // without its cause, it need not ask again
	}
	// It has begun what it was at, and has an answer, or can go on, or waits for time as
	// it should.
	return count(events, who, begins) >= count(run, who, begins) &&
		(count(events, who, ends) >= count(events, who, begins) || goesOn[who])
}

func count(events []history.Event, client string, is func(history.Event) bool) (n int) {
	for _, e := range events {
		if e.Client == client && is(e) {
			n++
		}
	}
	return n
}

// writes: what a client does at the end of its work, also where the resource
// or its own care keeps it from writing.
func writes(e history.Event) bool {
	return e.Kind == history.Resource && (e.Op == history.WriteOp || e.Op == history.Refuse || e.Op == history.Abandon)
}

func begins(e history.Event) bool { return e.Kind == history.Invoke }

func ends(e history.Event) bool {
	return e.Kind == history.Return || e.Kind == history.Fail || e.Kind == history.Unknown
}

// goOn lists the clients that can go on, or wait for time.
func goOn(w *world.World) map[string]bool {
	clients := map[string]bool{}
	for _, who := range w.History().Config.Clients {
		clients[who] = slices.ContainsFunc(w.Strands(who), func(t world.StrandView) bool { return !t.Ended && (t.Enabled || t.Waits) })
	}
	return clients
}
