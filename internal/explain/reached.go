package explain

import (
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// reached reports whether the client of the violation has come as far as in the
// run. If it has not, the absence of the violation proves nothing.
func (f *finder) reached(events []history.Event, goesOn map[string]bool) bool {
	who := f.v.Client
	switch f.v.Invariant {
	case history.StaleWrite, history.LostUpdate:
		return f.ahead(events, writes) >= 0 || f.keptOut(events, goesOn)
	case history.PhantomHold:
		return f.ahead(events, history.Event.Acquires) >= 0
	case history.SelfDeadlock:
		return count(events, who, begins) > 0 // without the cause it need not ask again
	case history.OverwrittenLease, history.ForeignRenewal:
		if f.ahead(events, history.Event.Acquires) > 0 {
			return true // it got the lock, and need not ask again
		}
	}
	// It has begun its operation, and has an answer, can go on, or waits for
	// time.
	return f.ahead(events, begins) >= f.ahead(events, fails) && (count(events, who, ends) >= count(events, who, begins) || goesOn[who])
}

// ahead is how many more events of a kind the client of the violation has than in the run.
func (f *finder) ahead(events []history.Event, is func(history.Event) bool) int {
	return count(events, f.v.Client, is) - count(f.history.Events[:f.v.Seq+1], f.v.Client, is)
}

// keptOut reports whether the client of the violation, having acquired as often but
// once as in the run, was refused the lock or still waits for it.
func (f *finder) keptOut(events []history.Event, goesOn map[string]bool) bool {
	who := f.v.Client
	if f.ahead(events, history.Event.Acquires) != -1 {
		return false
	}
	for _, e := range slices.Backward(events) {
		switch {
		case e.Client != who || e.Strand != 0:
		case e.Kind == history.Return:
			return e.Op == history.OpAcquire && e.Outcome == history.Refused
		case e.Kind == history.Invoke:
			return e.Op == history.OpAcquire && goesOn[who]
		}
	}
	return false
}

func count(events []history.Event, client string, is func(history.Event) bool) (n int) {
	for _, e := range events {
		if e.Client == client && is(e) {
			n++
		}
	}
	return n
}

// writes reports whether an event is the write at the end of a client's work,
// even if the resource refuses it or the client abandons it.
func writes(e history.Event) bool {
	return e.Kind == history.Resource && (e.Op == history.WriteOp || e.Op == history.Refuse || e.Op == history.Abandon)
}

func begins(e history.Event) bool { return e.Kind == history.Invoke }

// fails reports whether an event ends an acquisition without an answer. A client that
// waits for the lock tries once more.
func fails(e history.Event) bool {
	return e.Op == history.OpAcquire && (e.Kind == history.Fail || e.Kind == history.Unknown)
}

func ends(e history.Event) bool {
	return e.Kind == history.Return || e.Kind == history.Fail || e.Kind == history.Unknown
}

// goOn tells which clients can take a step, or wait for time or a message.
func goOn(w *world.World) map[string]bool {
	clients := map[string]bool{}
	for _, who := range w.History().Config.Clients {
		clients[who] = slices.ContainsFunc(w.Strands(who), func(t world.StrandView) bool { return !t.Ended && (t.Enabled || t.Waits || t.Listens) })
	}
	return clients
}
