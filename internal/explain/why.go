package explain

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// cause describes a cause of this run.
func (t *narrator) cause(c Cause) Sentence {
	e := t.h.Events[c.Seq]
	f := prose.Facts{Client: history.StrandName(c.Client, c.Strand), Key: t.v.Key, Node: t.node(e)}
	switch c.Kind {
	case Lease:
		return t.ended(c, f)
	case Fault:
		return t.fault(c, f)
	case Time:
		passed := t.of(c, history.Clock)
		f.From = (passed.At - passed.By).String()
		return t.say("time", f, passed)
	case Renewal:
		f.Cmd, f.Line = sent(c.Renews)
		return t.say("renews", f, e)
	}
	return t.order(e, f)
}

// of returns an event of a kind among those of a cause's action, or else the
// event that shows the cause.
func (t *narrator) of(c Cause, kind history.Kind) history.Event {
	for _, e := range t.h.Events {
		if e.Pick == c.Action && e.Kind == kind {
			return e
		}
	}
	return t.h.Events[c.Seq]
}

// ended describes a lease that expired.
func (t *narrator) ended(c Cause, f prose.Facts) Sentence {
	e := t.h.Events[c.Seq]
	ended := t.change(e).Before.Deadline
	given, _ := t.last(e.Seq, func(l history.Event) bool {
		k := t.change(l)
		return l.Node == e.Node && k != nil && k.After != nil && k.After.Deadline == ended && (k.Before == nil || k.Before.Deadline != ended)
	})
	f.Client, f.From, f.Lease = c.Client, given.At.String(), (ended - given.At).String()
	about := []history.Event{e, given}
	var nodes []string
	for _, l := range t.h.Events {
		k := t.change(l)
		if l.Pick == c.Action && l.Kind == history.Expire && k != nil && t.at(l.Seq).Owner(l.Node) == c.Client {
			nodes, about = append(nodes, l.Node), append(about, l)
		}
	}
	if f.Node = ""; t.h.Nodes > 1 {
		f.Node = strings.Join(nodes, ", ")
	}
	id := "lease-ended"
	switch m := t.at(e.Seq); {
	case m.Inside(c.Client):
		id = "lease-ended-inside"
	case m.Holds(c.Client):
		id = "lease-ended-held"
	}
	return t.say(id, f, about...)
}

// fault describes a fault.
func (t *narrator) fault(c Cause, f prose.Facts) Sentence {
	e := t.of(c, history.Fault)
	about := []history.Event{e}
	f.Client, f.Node = e.Client, e.Node
	f.Cmd, f.Line = sent(e)
	switch v := history.Verb(e.Op); v {
	case history.Crash, history.Hang:
		if m := t.at(e.Seq); m.Owns(e.Client) {
			f.Reply = "owns" // the lock
		}
		f.Cmd = pending(e.Text)
	case history.Late:
		if sent, ok := t.request(e); ok {
			f.From, about = sent.At.String(), append(about, sent)
		}
	case history.Jump:
		f.Lease = e.By.String()
	case history.Rate:
		f.Before = strconv.FormatFloat(float64(e.By)/10, 'f', -1, 64)
	case history.Promote:
		f.N = int64(e.By)
	}
	if k := t.change(e); k != nil && k.Before != nil && k.After == nil {
		f.Other = t.at(e.Seq).Owner(e.Node)
	}
	if e.Client != "" && history.Verb(e.Op) == history.Jump {
		return t.say("fault-jump-client", f, about...)
	}
	return t.say("fault-"+e.Op, f, about...)
}

// pending is the command that a client was about to send when it crashed; "" for
// none.
func pending(doing string) string {
	words := strings.Fields(doing)
	if len(words) < 2 || words[0] != "before" || words[1] != strings.ToUpper(words[1]) {
		return ""
	}
	return words[1]
}

// order describes a step of another client before the harm.
func (t *narrator) order(e history.Event, f prose.Facts) Sentence {
	f.Reply = e.Reply
	f.Cmd, f.Line = sent(e)
	switch e.Kind {
	case history.Apply, history.Request, history.Reply, history.Wait:
		return t.command(e, f)
	case history.Resource:
		f.Resource, f.After = e.Text, number(e)
		return t.say("order-"+e.Op, f, e)
	case history.TimeOut:
		f.Lease = e.By.String()
		return t.say("order-gave-up", f, e)
	case history.Invoke:
		f.Cmd, f.Line = e.Op, ""
		return t.say("order-began", f, e)
	case history.Return:
		f.Cmd, f.Line, f.Reply = e.Op, "", e.Outcome
		return t.say("order-returned", f, e)
	}
	s := t.say("order-other", f, e)
	if l, ok := t.h.LineOf(e.Seq); ok {
		s.Shown = l.Text
	} else {
		s.Shown = lang.Quote(strings.TrimSpace(string(e.Kind) + " " + e.Op))
	}
	return s
}

// command describes a command on the lock's key, and whose lock that was.
func (t *narrator) command(e history.Event, f prose.Facts) Sentence {
	c, owner := t.change(e), ""
	if c != nil && c.Before != nil {
		owner = t.at(e.Seq).Owner(e.Node)
	}
	f.Other = owner
	switch {
	case c == nil:
		return t.say("order-asked", f, e)
	case c.Before == nil:
		f.N, f.M = t.owned(e.Client, e.Seq), int64(t.h.Nodes)
		return t.say("order-took", f, e)
	case c.After == nil && owner == e.Client:
		return t.say("order-freed", f, e)
	case c.After == nil:
		return t.say("order-removed", f, e)
	}
	if f.Before, f.After = changed(c); c.Before.Value == c.After.Value {
		return t.say("order-moved", f, e)
	}
	return t.say("order-replaced", f, e)
}

// code says what the lock's code did, whatever the schedule: whether it checked
// the owner, and when. It says only what this run shows.
func (t *narrator) code(alone, unshown bool) (list []Sentence) {
	e := t.harm()
	f := prose.Facts{Client: t.v.Client}
	cause := t.h.Events[t.v.Causes[0]]
	switch t.v.Invariant {
	case history.ForeignRelease, history.ForeignRenewal, history.EqualTokens:
		list = append(list, t.asked(e, f))
	case history.OverwrittenLease:
		g := f
		g.Reply = cause.Reply
		g.Cmd, g.Line = sent(cause)
		list = append(list, t.say("code-wrote-first", g, cause))
	case history.SelfDeadlock:
		if t.at(e.Seq).Holds(t.v.Client) {
			list = append(list, t.say("code-nested", f, e))
		} else {
			list = append(list, t.orphaned(e, f))
		}
	case history.PhantomHold, history.Leak:
		asked := func(l history.Event) bool { return l.Kind == history.Request && l.During == cause.Call }
		if _, ok := t.last(cause.Seq, asked); !ok && ends(cause) {
			list = append(list, t.say("code-"+cause.Op+"-sent-nothing", f, cause))
		}
	}
	if alone {
		id := "code-alone"
		if unshown {
			id = "code-unshown"
		}
		list = append(list, t.say(id, f, e))
	}
	return slices.DeleteFunc(list, func(s Sentence) bool { return s.ID == "" })
}

// orphaned says that a client is kept out by a lease that it does not know of, and
// for how long at most.
func (t *narrator) orphaned(e history.Event, f prose.Facts) Sentence {
	taken, ok := t.taken()
	k := t.change(taken)
	if !ok || k.After.Deadline == 0 {
		return Sentence{}
	}
	f.Lease = (k.After.Deadline - taken.At).String()
	return t.say("code-orphaned", f, e, taken)
}

// asked reports whether the operation checked the owner before its command on
// another client's key.
func (t *narrator) asked(e history.Event, f prose.Facts) Sentence {
	if len(e.Cmds) > 0 && (strings.HasPrefix(e.Cmds[0][0], "EVAL") || strings.HasPrefix(e.Cmds[0][0], "DEL") && e.Cmds[0][0] != "DEL") {
		return Sentence{} // the command itself checks the owner
	}
	f.At = e.At.String()
	f.Cmd, f.Line = sent(e)
	begun, ok := t.last(e.Seq, func(l history.Event) bool { return l.Kind == history.Invoke && l.Call == e.During })
	looks := func(l history.Event) bool {
		return l.Kind == history.Apply && l.Client == e.Client && slices.ContainsFunc(l.Cmds, func(c []string) bool { return c[0] == "GET" })
	}
	look, looked := t.last(e.Seq, func(l history.Event) bool {
		return looks(l) && l.Strand == e.Strand && l.Node == e.Node && l.During == e.During
	})
	switch {
	case looked:
		f.Reply, f.From = look.Reply, look.At.String()
		f.OtherCmd, f.OtherLine = sent(look)
		if f.Other = t.at(look.Seq).Owner(look.Node); f.Other == t.v.Other {
			return t.say("code-mistook", f, look, e)
		}
		return t.say("code-looked", f, look, e)
	case ok:
		if other, looked := t.last(e.Seq, looks); !looked || other.Seq < begun.Seq { // by another goroutine
			return t.say("code-unseen", f, e, begun)
		}
	}
	return Sentence{}
}

// saves describes a remedy, and for what it holds.
func (t *narrator) saves(r Remedy) Sentence {
	f := prose.Facts{
		Lease: r.Lease.String(), Before: t.h.Config.TTL.String(), Lock: r.Lock, Own: t.h.Config.Strategy, Client: t.v.Client,
	}
	id := "saved-" + r.way()
	switch {
	case r.Lock == "" && r.Falls > 0:
		id, f.After, f.From = id+"-falls", r.Falls.String(), (r.Falls - r.Lease).String()
	case r.Explored != nil && r.Explored.Holds:
		id, f.Hazard = id+"-holds", r.Explored.Hazard
	case r.Explored != nil:
		id, f.Hazard = id+"-falls", r.Explored.Hazard
	}
	s := t.say(id, f)
	if s.Shown = r.shown(); t.shows(s.Shown) {
		s.Shown = lang.Message{} // the same words would seem to say that it fails too
	}
	return s
}

// shows reports whether a line is that of the harm in this run.
func (t *narrator) shows(line lang.Message) bool {
	l, ok := t.h.LineOf(t.v.Seq)
	return ok && line.String() == l.Said().String()
}
