package explain

import (
	"slices"

	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// cost says what damage the violation did in this run. Its event may be long
// after the violation.
func (t *narrator) cost() Sentence {
	e, v := t.harm(), t.v
	f := prose.Facts{Client: v.Client, Other: v.Other, Key: v.Key}
	switch v.Invariant {
	case history.MutualExclusion:
		return t.overlap(f)
	case history.ForeignRelease, history.ForeignRenewal, history.EqualTokens:
		if t.renews(e) {
			return t.lasts(f, e)
		}
		f.Client = v.Other
		return t.taker(f)
	case history.PhantomHold:
		return t.taker(f)
	case history.OverwrittenLease:
		did := t.h.Events[v.Causes[0]]
		c := t.change(did)
		if c.Before.Value == c.After.Value {
			return t.lasts(f, did)
		}
		f.Before, f.After = changed(c)
		return t.say("cost-replaced", f, e, did)
	case history.StaleWrite:
		return t.undone(f)
	case history.LostUpdate:
		m := t.at(e.Seq + 1)
		effect := m.Effect()
		f.Resource, f.N, f.M = effect.Resource, effect.Done, effect.Items
		if effect.Resource == "stock" && effect.Short() {
			f.Resource, f.M = "short", effect.Gone
		}
		return t.say("cost-"+f.Resource, f, e, t.h.Events[v.Causes[0]])
	case history.LostWakeup:
		return t.say("cost-asleep", f, e)
	}
	return t.blocked(f)
}

// overlap is how long two clients were in the critical section.
func (t *narrator) overlap(f prose.Facts) Sentence {
	e := t.harm()
	f.From = e.At.String()
	out, ok := t.next(e.Seq, func(l history.Event) bool {
		gone := l.Kind == history.Resource && (l.Op == history.Leave || l.Op == history.Abandon) ||
			l.Kind == history.Panic || l.Is(history.Crash)
		return gone && (l.Client == t.v.Client || l.Client == t.v.Other)
	})
	if !ok {
		return t.say("cost-together-still", f, t.h.Events[len(t.h.Events)-1], e)
	}
	f.To, f.Reply = out.At.String(), out.Client
	switch {
	case out.Op == history.Abandon:
		return t.say("cost-together-gave-up", f, out, e)
	case out.Op != history.Leave:
		return t.say("cost-together-crashed", f, out, e)
	}
	return t.say("cost-together", f, out, e)
}

// taker is the client that acquired the lock while another one still believed
// that it held it.
func (t *narrator) taker(f prose.Facts) Sentence {
	e, victim := t.harm(), f.Client
	if after := t.at(e.Seq + 1); !after.Holds(victim) {
		return Sentence{Seq: -1} // it has not learned that it acquired
	}
	end, known := t.next(e.Seq, func(l history.Event) bool {
		return l.Client == victim && (l.Kind == history.Invoke && l.Op == history.OpRelease || l.Kind == history.Panic ||
			l.Op == history.Abandon || l.Is(history.Crash))
	})
	until := len(t.h.Events)
	if known {
		until = end.Seq
	} else {
		end = t.h.Events[until-1]
	}
	got, ok := t.next(e.Seq, func(l history.Event) bool { return l.Client != victim && l.Acquires() && l.Seq < until })
	switch {
	case ok:
		f.Other, f.To = got.Client, got.At.String()
		return t.say("cost-taken", f, got)
	case t.v.Other != "" && t.v.Client == victim && t.at(e.Seq+1).Holds(t.v.Other):
		return t.say("cost-beside", f, e)
	case known && end.At > e.At:
		f.To = end.At.String()
	}
	return t.say("cost-unguarded", f, end, e)
}

// lasts says what the deadline of a lease was and what it became.
func (t *narrator) lasts(f prose.Facts, e history.Event) Sentence {
	c := t.change(e)
	f.Before, f.After = deadline(c.Before), deadline(c.After)
	if t.v.Other == "" {
		f.Other = t.at(e.Seq).Owner(e.Node)
	}
	return t.say("cost-lasts", f, e)
}

// undone is what a stale write overwrote.
func (t *narrator) undone(f prose.Facts) Sentence {
	e := t.harm()
	f.Resource, f.After = e.Text, number(e)
	read, _ := t.last(e.Seq, does(t.v.Client, history.ReadOp))
	if newer, ok := t.last(e.Seq, func(l history.Event) bool { return l.Kind == history.Resource && l.Op == history.WriteOp }); ok && newer.Seq > read.Seq && newer.Client != t.v.Client {
		f.Other, f.Before, f.At, f.From = newer.Client, number(newer), newer.At.String(), e.At.String()
		if newer.Value == e.Value {
			return t.say("cost-undone-same", f, e, newer)
		}
		return t.say("cost-undone", f, e, newer)
	}
	seen, ok := t.last(e.Seq, does(t.v.Other, history.ReadOp, history.WriteOp))
	if ok && seen.Op == history.ReadOp && seen.Value != e.Value && t.at(e.Seq).Inside(t.v.Other) {
		f.Before, f.At = number(seen), seen.At.String()
		return t.say("cost-outdated", f, e, seen)
	}
	return Sentence{Seq: -1}
}

// blocked is how long nobody can acquire.
func (t *narrator) blocked(f prose.Facts) Sentence {
	e := t.harm()
	for _, last := range slices.Backward(t.eventsUpTo(e.Pick + 1)) { // with the rest of the same action
		c := t.change(last)
		switch {
		case c == nil:
			continue
		case c.After == nil:
			return Sentence{Seq: -1} // it is free, and yet nobody acquires
		}
		if c.After.Type == "list" {
			return t.say("cost-taken-along", f, e, last)
		}
		if c.After.Type == history.Ephemeral {
			f.Key, f.Client = c.Key, c.After.Value
			return t.say("cost-session", f, e, last)
		}
		f.Before, f.After = c.After.Value, deadline(c.After)
		id := "cost-kept"
		if t.v.Invariant == history.LockRecovers {
			id = "cost-orphan"
		}
		return t.say(id, f, e, last)
	}
	return Sentence{Seq: -1}
}
