package explain

import (
	"lockstep/internal/prose"
	"lockstep/sim"
	"lockstep/sim/history"
)

// happened says what the violation is in this run: who did what, when, at which
// line.
func (t *narrator) happened() Sentence {
	e, v := t.harm(), t.v
	f := prose.Facts{Client: v.Client, Other: v.Other, Key: v.Key, Node: t.node(e)}
	switch v.Invariant {
	case history.MutualExclusion:
		in := t.h.Events[v.Causes[0]]
		f.From = in.At.String()
		return t.say("entered", f, e, in)
	case history.ForeignRelease, history.ForeignRenewal, history.EqualTokens:
		f.Cmd, f.Line = sent(e)
		return t.onForeignKey(f)
	case history.OverwrittenLease:
		did := t.h.Events[v.Causes[0]]
		f.Cmd, f.Line = sent(did)
		f.At = did.At.String()
		c, id := t.change(did), "refused-moved"
		f.Before, f.After = changed(c)
		if c.Before.Value != c.After.Value {
			id = "refused-replaced"
		}
		return t.say(id, f, e, did)
	case history.PhantomHold:
		return t.believes(f)
	case history.LockRecovers:
		f.Lease = (sim.RecoveryLeases * t.h.Config.TTL).String()
		return t.say("orphan", f, e)
	case history.LostWakeup:
		return t.say("asleep", f, e)
	case history.Panics, history.BlockedForever:
		s := t.say(v.Invariant, f, e)
		s.Shown = v.Detail
		return s
	case history.SelfDeadlock:
		return t.ownKey(f)
	case history.StaleWrite, history.LostUpdate:
		return t.wrote(f)
	}
	f.Reply = e.Outcome + e.Text
	id := "left-behind"
	switch {
	case e.Op == history.OpAcquire:
		id += "-given-up"
	case e.Kind == history.Fail:
		id += "-failed"
	case e.Kind == history.Expire:
		id += "-late"
	}
	return t.say(id, f, e)
}

// onForeignKey describes a command that removed, replaced or renewed the lock of
// another client.
func (t *narrator) onForeignKey(f prose.Facts) Sentence {
	e := t.harm()
	taken := t.h.Events[t.v.Causes[len(t.v.Causes)-2]]
	f.OtherCmd, f.OtherLine = sent(taken)
	f.From = taken.At.String()
	c := t.change(e)
	if c.After == nil {
		return t.say("removed", f, e, taken)
	}
	if f.Before, f.After = changed(c); c.Before.Value != c.After.Value {
		return t.say("replaced", f, e, taken)
	}
	return t.say("moved", f, e, taken)
}

// believes describes a client that wrongly believes that it holds the lock.
func (t *narrator) believes(f prose.Facts) Sentence {
	e, told := t.harm(), t.h.Events[t.v.Causes[0]]
	f.From = told.At.String()
	f.N, f.M = t.owned(t.v.Client, e.Seq), int64(t.h.Nodes)
	id := "believes"
	if told.Seq == e.Seq {
		id = "believed-never"
	}
	switch {
	case t.h.Nodes > 1:
		id += "-minority"
	case f.Other != "":
		id += "-other"
	default:
		if c := t.change(e); c != nil { // of a lock of znodes, the one that went
			f.Key = c.Key
		}
	}
	return t.say(id, f, e, told)
}

// owned counts the nodes on which a client owns the key after an event.
func (t *narrator) owned(client string, seq int) (n int64) {
	m := t.at(seq + 1)
	for i := range t.h.Nodes {
		if m.Owner(history.NodeName(i)) == client {
			n++
		}
	}
	return n
}

// ownKey describes a client that is refused by its own lock.
func (t *narrator) ownKey(f prose.Facts) Sentence {
	e := t.harm()
	taken, ok := t.taken()
	if !ok {
		return t.say("own-lock", f, e)
	}
	f.Cmd, f.Line = sent(taken)
	f.From = taken.At.String()
	return t.say("own-lock", f, e, taken)
}

// wrote describes a write that the invariant forbids.
func (t *narrator) wrote(f prose.Facts) Sentence {
	e := t.harm()
	f.Resource, f.After = e.Text, number(e)
	about := []history.Event{e}
	if read, ok := t.last(e.Seq, does(t.v.Client, history.ReadOp)); ok {
		f.Before, f.From, about = number(read), read.At.String(), append(about, read)
	}
	if t.v.Invariant == history.StaleWrite {
		served, ok := t.last(e.Seq, does(t.v.Other, history.ReadOp, history.WriteOp))
		if ok {
			f.To, about = served.At.String(), append(about, served)
		}
		return t.say("wrote-stale", f, about...)
	}
	between := t.h.Events[t.v.Causes[0]]
	f.To, f.Reply = between.At.String(), number(between)
	return t.say("wrote-over", f, append(about, between)...)
}
