// Package judge is an independent check of finished histories, for tests: it decides
// each invariant from the events alone, by looking back from each of them. It is slow
// and keeps no state, so it shares no mistake with history.Monitor. It leaves out
// lock-recovers, which no history shows.
package judge

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/sim/history"
)

// enough bounds the events of a history that are judged: the judge looks back from each
// of them to the first. A prefix of a history is a history.
const enough = 300

// Agree fails a test if the two judges differ on a history.
func Agree(t testing.TB, h history.History) {
	t.Helper()
	h.Events = h.Events[:min(len(h.Events), enough)]
	if why := Differ(h); why != "" {
		t.Errorf("%s\n%s\n%s", why, h.Config, h.Schedule)
	}
}

// Differ returns where the monitor judges a history differently; "" for nowhere.
func Differ(h history.History) string {
	monitor := map[string][]int{}
	for _, v := range history.Check(h) {
		if at := monitor[v.Invariant]; !slices.Contains(at, v.Seq) {
			monitor[v.Invariant] = append(at, v.Seq)
		}
	}
	mine := Violations(h)
	for _, id := range history.Invariants() {
		a, b := mine[id], monitor[id]
		if id == history.LostUpdate { // what is missing from the sum goes on missing
			a, b = a[:min(1, len(a))], b[:min(1, len(b))]
		}
		if !slices.Equal(a, b) {
			return fmt.Sprintf("%s: the judge finds it at %v, the monitor at %v", id, a, b)
		}
	}
	return ""
}

// Violations lists the events at which each invariant is violated.
func Violations(h history.History) map[string][]int {
	p := past{h, map[place]string{}}
	found := map[string][]int{}
	for i := range h.Events {
		for id, violated := range map[string]func(int) bool{
			history.MutualExclusion: p.twoInside, history.ForeignRelease: p.removesForeign, history.ForeignRenewal: p.renewsForeign,
			history.EqualTokens:      p.takesForOwn,
			history.OverwrittenLease: p.overwrites, history.PhantomHold: p.believesWrongly, history.SelfDeadlock: p.shutsItselfOut,
			history.StaleWrite: p.writesLate, history.LostUpdate: p.updateMissing, history.Leak: p.leaks,
			history.Panics: p.happens(history.Panic), history.BlockedForever: p.happens(history.Blocked),
		} {
			if violated(i) {
				found[id] = append(found[id], i)
			}
		}
	}
	return found
}

// twoInside: a client enters while another one is inside.
func (p past) twoInside(i int) bool {
	e := p.Events[i]
	return e.Op == history.Enter && slices.ContainsFunc(p.Config.Clients, func(o string) bool { return o != e.Client && p.inside(o, i) })
}

// happens: a client's own event says it.
func (p past) happens(kind history.Kind) func(int) bool {
	return func(i int) bool {
		return p.Events[i].Kind == kind && slices.Contains(p.Config.Clients, p.Events[i].Client)
	}
}

// removesForeign: a command removes a lock that another live client holds.
func (p past) removesForeign(i int) bool {
	return !p.takesForOwn(i) && p.touchesForeign(i, p.removes(i))
}

func (p past) removes(i int) func(history.Change) bool {
	return func(ch history.Change) bool {
		return ch.After == nil || ch.Before.Value != ch.After.Value && !p.acquiring(p.Events[i].Client, i)
	}
}

// renewsForeign: a command changes only the deadline of such a lock.
func (p past) renewsForeign(i int) bool {
	return !p.takesForOwn(i) && p.touchesForeign(i, renews)
}

func renews(ch history.Change) bool {
	return ch.After != nil && ch.Before.Value == ch.After.Value && ch.Before.Deadline != ch.After.Deadline
}

// takesForOwn: a command does either to a lock with the token that its client has drawn too, and
// was given that token, or its client has read it there before.
func (p past) takesForOwn(i int) bool {
	if !p.touchesForeign(i, renews) && !p.touchesForeign(i, p.removes(i)) {
		return false
	}
	e := p.Events[i]
	drawn := p.drawn(e.Client, i-1)
	return drawn != "" && drawn == p.present(e.Node, i-1) && (p.given(e, drawn) || p.readElsewhere(e.Client, i-1) == drawn)
}

func (p past) touchesForeign(i int, how func(history.Change) bool) bool {
	e := p.Events[i]
	o := p.owner(e.Node, i-1)
	ch, ok := p.change(i)
	return ok && ch.Before != nil && e.Client != "" && o != e.Client && p.held(o, i-1) && how(ch)
}

// overwrites: a refused attempt has changed another client's lock.
func (p past) overwrites(i int) bool {
	e := p.Events[i]
	if e.Op != history.OpAcquire || e.Outcome != history.Refused {
		return false
	}
	return len(p.changedSince(e.Client, i)) > 0
}

// believesWrongly: a client has just come to hold a lock that it does not own.
func (p past) believesWrongly(i int) bool {
	return p.Nodes > 0 && slices.ContainsFunc(p.Config.Clients, func(c string) bool {
		wrong := func(i int) bool { return p.depth(c, i) > 0 && !p.owns(c, i) }
		granted := p.last(c, i, history.Event.Acquires)
		for j := granted; j >= 0 && j < i; j++ {
			if wrong(j) {
				return false
			}
		}
		return wrong(i)
	})
}

// shutsItselfOut: a client is refused, or waits, because of its own lock.
func (p past) shutsItselfOut(i int) bool {
	c := p.Events[i].Client
	if !p.keptOut(i) || !p.owns(c, i) {
		return false
	}
	for j := i - 1; j >= 0 && p.owns(c, j); j-- {
		if p.Events[j].Client == c && p.keptOut(j) {
			return false // it is the same lock still
		}
	}
	return true
}

func (p past) keptOut(i int) bool {
	e := p.Events[i]
	return e.Op == history.OpAcquire && e.Outcome == history.Refused ||
		e.Kind == history.Sleep && e.Strand == 0 && p.acquiring(e.Client, i)
}

// writesLate: a client that does not own the lock writes after the resource has served
// a client that acquired later.
func (p past) writesLate(i int) bool {
	e := p.Events[i]
	if e.Op != history.WriteOp || p.Nodes == 0 || p.owns(e.Client, i) {
		return false
	}
	for j, f := range p.Events[:i] {
		if f.Client != e.Client && accesses(f) && p.lease(f.Client, j) > p.lease(e.Client, i) {
			return true
		}
	}
	return false
}

// updateMissing: there were more updates than the value shows.
func (p past) updateMissing(i int) bool {
	if p.Events[i].Op != history.WriteOp {
		return false
	}
	updates := int64(0)
	for j, e := range p.Events[:i+1] {
		if e.Op != history.WriteOp {
			continue
		}
		read := p.last(e.Client, j, func(f history.Event) bool { return f.Op == history.ReadOp })
		if e.Value > 0 || read >= 0 && p.Events[read].Value > 0 {
			updates++
		}
	}
	return p.Config.Items()-p.Events[i].Value < updates
}

// leaks: a client has released everything, or has given up acquiring as its context was
// cancelled, and still owns the lock; if it was busy then, until its deadline.
func (p past) leaks(i int) bool {
	e := p.Events[i]
	if e.Kind == history.Expire {
		return slices.ContainsFunc(p.Config.Clients, func(c string) bool { return p.owns(c, i-1) && !p.owns(c, i) && p.busy(c, i) })
	}
	return !e.Busy && p.leaves(i)
}

// leaves: an event is the end of a client's last release, or of an acquisition that failed after
// a cancellation, and it owns the lock.
func (p past) leaves(i int) bool {
	e := p.Events[i]
	ends := e.Op == history.OpRelease && (e.Kind == history.Return || e.Kind == history.Fail)
	if e.Op == history.OpAcquire && (e.Kind == history.Fail || e.Kind == history.Unknown) {
		ends = p.cancelled(e.Client, i)
	}
	return ends && p.depth(e.Client, i) == 0 && p.owns(e.Client, i)
}

// busy: a living client has owned the lock since such an end, when it was busy, or since its
// background wrote the key anew after its last release, or at all after a cancellation.
func (p past) busy(c string, i int) bool {
	at := p.last(c, i, func(e history.Event) bool {
		return e.Op == history.OpAcquire || e.Op == history.OpRelease && (e.Kind == history.Return || e.Kind == history.Fail)
	})
	anew := p.last(c, i-1, func(e history.Event) bool { return p.writesAnew(c, e.Seq) })
	if at < 0 || !p.alive(c, i) || anew < at && (!p.Events[at].Busy || !p.leaves(at)) {
		return false
	}
	at = max(at, anew)
	for ; at < i; at++ {
		if !p.owns(c, at) {
			return false
		}
	}
	return true
}

// writesAnew: a background's event gives the lock to a client that has had it and neither has nor
// acquires it; after a cancellation it need not have had it.
func (p past) writesAnew(c string, i int) bool {
	return p.owns(c, i) && !p.owns(c, i-1) && p.depth(c, i) == 0 && !p.acquiring(c, i) &&
		(p.Events[i].Strand > 0 && p.lease(c, i) >= 0 || p.cancelled(c, i))
}
