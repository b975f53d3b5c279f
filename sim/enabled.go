package sim

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/sim/history"
)

// Refusal says why an action cannot happen now; "" if it can.
func (w *World) Refusal(a history.Action) string {
	switch a.Verb {
	case history.Advance:
		if a.By <= 0 {
			return "time only moves forward"
		}
		return why(w.endOfTime(w.now + min(a.By, history.MaxTime+1)))
	case history.Tick:
		next, ok := w.nextDeadline()
		if !ok {
			return "no key expires and nobody waits for time"
		}
		return why(w.endOfTime(next))
	case history.Flush:
		return ""
	}
	if a.Node != "" {
		n := w.node(a.Node)
		if n == nil {
			return fmt.Sprintf("there is no node %q; %s would fit", a.Node, w.nodeNames())
		}
		if a.Client == "" {
			return n.faultRefusal(n.name, a, len(n.behind))
		}
	}
	c := w.client(a.Client)
	if c == nil {
		return fmt.Sprintf("there is no client %q", a.Client)
	}
	if a.Thread < 0 || a.Thread >= len(c.threads) {
		return fmt.Sprintf("client %s has no thread %d", c.name, a.Thread)
	}
	if a.Verb == history.Late {
		if c.orphan() == nil {
			return fmt.Sprintf("no request of %s is on the way without its sender", c.name)
		}
		return ""
	}
	if c.dead {
		return fmt.Sprintf("client %s is dead", c.name)
	}
	switch a.Verb {
	case history.Step:
		return c.threads[a.Thread].refusal(w.now)
	case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
		return c.threads[a.Thread].messageRefusal(a.Verb)
	case history.Hang:
		switch {
		case c.hung:
			return fmt.Sprintf("client %s hangs already", c.name)
		case c.done():
			return fmt.Sprintf("client %s is done", c.name)
		}
	case history.Rate:
		if a.By < 1 || a.By > history.MaxRate {
			return fmt.Sprintf("a rate lies between 1 and %d thousandths", history.MaxRate)
		}
	case history.Cut, history.Heal:
		switch off := slices.Contains(c.cut, a.Node); {
		case c.done():
			return fmt.Sprintf("client %s is done", c.name)
		case off && a.Verb == history.Cut:
			return fmt.Sprintf("client %s is cut off from %s already", c.name, a.Node)
		case !off && a.Verb == history.Heal:
			return fmt.Sprintf("client %s is not cut off from %s", c.name, a.Node)
		}
	case history.Jump:
		return why(JumpEnds(c.name, c.clock.deviation(w.now), a.By))
	case history.Crash:
	default:
		return fmt.Sprintf("%q is no verb", a.Verb)
	}
	return ""
}

// refusal says why the thread cannot take a step.
func (t *thread) refusal(now history.Millis) string {
	switch {
	case t.ended:
		return fmt.Sprintf("%s is done", t.label())
	case t.hangs():
		return fmt.Sprintf("%s hangs", t.label())
	case t.enabled(now):
		return ""
	}
	at, _ := t.due()
	if t.op.kind == opSleep {
		return fmt.Sprintf("%s sleeps until %v", t.label(), at)
	}
	return fmt.Sprintf("%s waits for a reply until %v", t.label(), at)
}

// messageRefusal says why a part of sending a command cannot happen.
func (t *thread) messageRefusal(v history.Verb) string {
	f := t.flight
	switch {
	case t.ended || t.op.kind != opCommand || t.hangs():
		return fmt.Sprintf("%s is not about to send a command", t.label())
	case f == nil:
		return t.linkRefusal(v)
	case v == history.Send:
		return "the request is sent already"
	case f.lost:
		return "the request or its reply is lost already"
	case f.answered() && v != history.LoseReply:
		return "the request has reached its node already"
	}
	return t.linkRefusal(v)
}

// linkRefusal says why a message cannot get to the node that the thread talks
// to, or back in time.
func (t *thread) linkRefusal(v history.Verb) string {
	c := t.outbox.conn
	switch {
	case v == history.Send:
		return ""
	case slices.Contains(t.client.cut, c.node.name):
		return fmt.Sprintf("%s is cut off from %s", t.client.name, c.node.name)
	case c.node.Down:
		return fmt.Sprintf("%s is down", c.node.name)
	case c.gone:
		return fmt.Sprintf("the connection to %s is broken", c.node.name)
	case c.node.Slow && v != history.LoseRequest:
		return fmt.Sprintf("%s answers too late", c.node.name)
	}
	return ""
}

func (t *thread) label() string {
	if t.id == 0 {
		return t.client.name
	}
	return fmt.Sprintf("%s/%d (%s)", t.client.name, t.id, t.name)
}

// Enabled returns every action that can happen now, in a fixed order: the
// clients in turn with the steps and messages of their threads and what can go
// wrong with them, then time. Clock faults and script flushes, which are
// always possible, are left to the driver.
func (w *World) Enabled() []history.Action {
	var actions []history.Action
	offer := func(a history.Action) {
		if w.Refusal(a) == "" {
			actions = append(actions, a)
		}
	}
	for _, c := range w.clients {
		for id := range c.threads {
			for _, v := range []history.Verb{history.Step, history.Send, history.Arrive, history.LoseRequest, history.LoseReply} {
				offer(history.Action{Verb: v, Client: c.name, Thread: id})
			}
		}
		for _, v := range []history.Verb{history.Late, history.Crash, history.Hang} {
			offer(history.Action{Verb: v, Client: c.name})
		}
	}
	offer(history.Action{Verb: history.Tick})
	return actions
}

// A ThreadView is what a driver may know of a thread.
type ThreadView struct {
	ID      int
	Name    string         // "" for the main thread
	Fresh   bool           // a background thread that has yet to settle: it has not slept so far
	Ended   bool           // its code has returned
	Pending string         // what it does next: a command's name, read, write, sleep ...
	Text    string         // the same in full
	Cmds    []string       // the names of the commands, if it is about to send any
	Sent    bool           // its command has left, and it waits for the reply
	Enabled bool           // it can take a step now
	Waits   bool           // it waits for time ...
	Until   history.Millis // ... until then
}

// Threads describes the threads of a client; nil if there is no such client.
func (w *World) Threads(name string) []ThreadView {
	c := w.client(name)
	if c == nil {
		return nil
	}
	views := make([]ThreadView, len(c.threads))
	for i, t := range c.threads {
		until, waits := t.due()
		var cmds []string
		if t.op.kind == opCommand && t.flight == nil {
			for _, u := range t.outbox.units {
				for _, cmd := range u.cmds {
					cmds = append(cmds, cmd[0])
				}
			}
		}
		views[i] = ThreadView{
			ID: t.id, Name: t.name, Fresh: t.id > 0 && !t.slept, Ended: t.ended, Pending: t.op.label, Text: t.text(), Cmds: cmds,
			Sent: t.flight != nil, Enabled: t.enabled(w.now), Waits: waits, Until: until,
		}
	}
	return views
}

// Alive says whether the client exists and has not crashed.
func (w *World) Alive(name string) bool {
	c := w.client(name)
	return c != nil && !c.dead
}

// NextExpiry returns the moment at which the next key will be gone.
func (w *World) NextExpiry() (next history.Millis, ok bool) {
	for _, n := range w.nodes {
		if at, expires := n.nextExpiry(); expires && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// A KeyView is one key of one node.
type KeyView struct {
	Node, Key string
	State     history.KeyState
}

// Keys returns every key of every node, in order.
func (w *World) Keys() []KeyView {
	var views []KeyView
	for _, n := range w.nodes {
		views = append(views, n.keys...)
	}
	return views
}

func (w *World) nodeNames() string {
	names := make([]string, len(w.nodes))
	for i, n := range w.nodes {
		names[i] = n.name
	}
	return strings.Join(names, ", ")
}
