package explain

import (
	"strconv"

	"lockstep/internal/prose"
	"lockstep/sim"
	"lockstep/sim/history"
)

// happened says what the violation is in this run: who did what, when, at which
// line.
func (t *narrator) happened() Sentence {
	e, v := t.harm(), t.v
	f := prose.Facts{Client: v.Client, Other: v.Other, Key: v.Key, At: e.At.String(), Node: t.node(e)}
	switch v.Invariant {
	case history.MutualExclusion:
		in := t.h.Events[v.Causes[0]]
		f.From = in.At.String()
		return t.say("entered", f, e.Seq, in.Seq)
	case history.ForeignRelease, history.ForeignRenewal:
		f.Cmd, f.Line = verbs(e), source(e)
		return t.onForeignKey(f)
	case history.OverwrittenLease:
		did := t.h.Events[v.Causes[0]]
		f.Cmd, f.Line, f.At = verbs(did), source(did), did.At.String()
		c := t.change(did)
		id := "refused-moved"
		f.Before, f.After = deadline(c.Before), deadline(c.After)
		if c.Before.Value != c.After.Value {
			id, f.Before, f.After = "refused-replaced", c.Before.Value, c.After.Value
		}
		return t.say(id, f, e.Seq, did.Seq)
	case history.PhantomHold:
		return t.believes(f)
	case history.LockRecovers:
		f.Lease = (sim.RecoveryLeases * t.h.Config.TTL).String()
		return t.say("orphan", f, e.Seq)
	case history.LostWakeup:
		return t.say("asleep", f, e.Seq)
	case history.SelfDeadlock:
		return t.ownKey(f)
	case history.StaleWrite, history.LostUpdate:
		return t.wrote(f)
	}
	f.Reply = e.Outcome + e.Text
	if e.Kind == history.Fail {
		return t.say("left-behind-failed", f, e.Seq)
	}
	return t.say("left-behind", f, e.Seq)
}

// onForeignKey describes a command that removed, replaced or renewed the lock of
// another client.
func (t *narrator) onForeignKey(f prose.Facts) Sentence {
	e := t.harm()
	taken := t.h.Events[t.v.Causes[0]]
	f.OtherCmd, f.OtherLine, f.From = verbs(taken), source(taken), taken.At.String()
	c := t.change(e)
	switch {
	case c.After == nil:
		return t.say("removed", f, e.Seq, taken.Seq)
	case c.Before.Value != c.After.Value:
		return t.say("replaced", f, e.Seq, taken.Seq)
	}
	f.Before, f.After = deadline(c.Before), deadline(c.After)
	return t.say("moved", f, e.Seq, taken.Seq)
}

// believes describes a client that wrongly believes that it holds the lock.
func (t *narrator) believes(f prose.Facts) Sentence {
	e, told := t.harm(), t.h.Events[t.v.Causes[0]]
	f.From = told.At.String()
	if c := t.change(e); c != nil { // of a lock of znodes, the one that went
		f.Key = c.Key
	}
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
	}
	return t.say(id, f, e.Seq, told.Seq)
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
	taken, ok := t.taken(t.v.Client, "", e.Seq)
	if !ok {
		return t.say("own-lock", f, e.Seq)
	}
	f.Cmd, f.Line, f.From = verbs(taken), source(taken), taken.At.String()
	return t.say("own-lock", f, e.Seq, taken.Seq)
}

// wrote describes a write that the invariant forbids.
func (t *narrator) wrote(f prose.Facts) Sentence {
	e := t.harm()
	f.Resource, f.After = e.Text, strconv.FormatInt(e.Value, 10)
	about := []int{e.Seq}
	if read, ok := t.last(e.Seq, does(t.v.Client, history.ReadOp)); ok {
		f.Before, f.From = strconv.FormatInt(read.Value, 10), read.At.String()
		about = append(about, read.Seq)
	}
	if t.v.Invariant == history.StaleWrite {
		served, ok := t.last(e.Seq, does(t.v.Other, history.ReadOp, history.WriteOp))
		if ok {
			f.To, about = served.At.String(), append(about, served.Seq)
		}
		return t.say("wrote-stale", f, about...)
	}
	between := t.h.Events[t.v.Causes[0]]
	f.To, f.Reply = between.At.String(), strconv.FormatInt(between.Value, 10)
	return t.say("wrote-over", f, append(about, between.Seq)...)
}
