package scenarios

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/history"
)

// evidence is the run as one step leaves it.
type evidence struct {
	h        history.History
	from, to int                 // the step's events: Events[from:to]
	found    []history.Violation // in the whole run so far
	open     bool                // the check could not decide lock-recovers
}

func (ev *evidence) step() []history.Event { return ev.h.Events[ev.from:ev.to] }

// last is the last event of the step.
func (ev *evidence) last() int { return ev.to - 1 }

// watched replays the run into a monitor. It calls see once before the step, with the
// event before it, and after each event of the step.
func (ev *evidence) watched(see func(m *history.Monitor, seq int)) {
	m := history.NewMonitor(ev.h.Config, ev.h.Nodes)
	for i, e := range ev.h.Events[:ev.to] {
		if i == ev.from {
			see(m, i-1)
		}
		m.Observe(e)
		if i >= ev.from {
			see(m, i)
		}
	}
	if ev.from == ev.to {
		see(m, ev.last())
	}
}

// returned decides how the first of some operations returns.
func returned(ops ...string) func(*evidence, Fact) (string, int) {
	return func(ev *evidence, f Fact) (string, int) {
		for _, e := range ev.step() {
			if e.Client != f.client || !slices.Contains(ops, e.Op) {
				continue
			}
			switch e.Kind {
			case history.Return:
				return e.Outcome, e.Seq
			case history.Fail:
				return failed, e.Seq
			case history.Unknown:
				return unknown, e.Seq
			}
		}
		return "", 0
	}
}

// reply decides the reply to the first such command. NOSCRIPT does not count:
// go-redis then sends the script itself.
func (ev *evidence) reply(f Fact) (string, int) {
	is := moment{what: f.cmd}
	for _, e := range ev.step() {
		heard := e.Kind == history.Reply || e.Kind == history.Apply && e.Outcome == history.Unread
		if e.Client == f.client && heard && !strings.HasPrefix(e.Reply, "(error) NOSCRIPT") &&
			slices.ContainsFunc(e.Cmds, func(cmd []string) bool { return is.names(cmd[0]) }) {
			return e.Reply, e.Seq
		}
	}
	return "", 0
}

// command decides which command a client sends first.
func (ev *evidence) command(f Fact) (string, int) {
	for _, e := range ev.step() {
		if e.Client == f.client && e.Kind == history.Request {
			return e.Cmds[0][0], e.Seq
		}
	}
	return none, ev.last()
}

// removed decides whose key a client's commands remove.
func (ev *evidence) removed(f Fact) (string, int) {
	answer, at := nobody, ev.last()
	owners := map[string]string{} // by node, before the event
	ev.watched(func(m *history.Monitor, seq int) {
		if seq >= ev.from && answer == nobody && ev.h.Events[seq].Client == f.client {
			e := ev.h.Events[seq]
			at = seq
			for _, ch := range e.Changes {
				ch, is := history.OfLock(ev.h.Config.Key(), ch)
				if is && e.Kind == history.Apply && ch.After == nil {
					answer = owners[e.Node]
				}
			}
		}
		for _, name := range nodeNames[:ev.h.Nodes] {
			owners[name] = m.Owner(name)
		}
	})
	return answer, at
}

// holder decides who owns the lock in Redis when the step is over.
func (ev *evidence) holder(Fact) (string, int) {
	answer, at := "", ev.last()
	ev.watched(func(m *history.Monitor, seq int) {
		now := nobody
		for _, c := range ev.h.Config.Clients {
			if m.Owns(c) {
				now = c
			}
		}
		if now != answer && seq >= ev.from {
			at = seq
		}
		answer = now
	})
	return answer, at
}

// inside decides how many clients are in the critical section at once, at most.
func (ev *evidence) inside(Fact) (string, int) {
	most, at := ev.together()
	return strconv.Itoa(len(most)), at
}

// within decides which clients those are.
func (ev *evidence) within(Fact) (string, int) {
	most, at := ev.together()
	return cmp.Or(strings.Join(most, "+"), nobody), at
}

// together returns the clients that are in the critical section at once, when they are
// most, and the event since which they are.
func (ev *evidence) together() (most []string, at int) {
	at = ev.last()
	ev.watched(func(m *history.Monitor, seq int) {
		var now []string
		for _, c := range ev.h.Config.Clients {
			if m.Inside(c) {
				now = append(now, c)
			}
		}
		if len(now) > len(most) {
			if most = now; seq >= ev.from {
				at = seq
			}
		}
	})
	return most, at
}

// votes decides how many nodes a client won before its acquisition returned. The last
// reply or timeout of a node decides it: after that, the client may have much to give
// back.
func (ev *evidence) votes(f Fact) (string, int) {
	most, at, over := 0, ev.last(), false
	asks := "" // the command that asks for a vote: its first
	ev.watched(func(m *history.Monitor, seq int) {
		if over || seq < ev.from {
			return
		}
		n := 0
		for i := range ev.h.Nodes {
			if m.Owner(nodeNames[i]) == f.client {
				n++
			}
		}
		most = max(most, n)
		e := ev.h.Events[seq]
		switch {
		case e.Client != f.client:
		case e.Op == history.OpAcquire:
			over = e.Kind != history.Invoke
		case len(e.Cmds) > 0:
			if asks == "" {
				asks = e.Cmds[0][0]
			}
			if e.Cmds[0][0] == asks {
				at = seq
			}
		}
	})
	if !over {
		return "", 0
	}
	return strconv.Itoa(most), at
}

// write decides whether the resource accepts a client's first write.
func (ev *evidence) write(f Fact) (string, int) {
	for _, e := range ev.step() {
		if e.Client == f.client && e.Kind == history.Resource {
			switch e.Op {
			case history.WriteOp:
				return accepted, e.Seq
			case history.Refuse:
				return history.Refused, e.Seq
			}
		}
	}
	return "", 0
}

// writes counts the writes that the resource has accepted by the end of the step.
func (ev *evidence) writes(Fact) (string, int) {
	n, at := 0, ev.last()
	for _, e := range ev.h.Events[:ev.to] {
		if e.Kind == history.Resource && e.Op == history.WriteOp {
			n++
			if e.Seq >= ev.from {
				at = e.Seq
			}
		}
	}
	return strconv.Itoa(n), at
}

// ttl decides how long the lock's key still has when the step is over: a time, none
// if it has no TTL, gone if there is no key.
func (ev *evidence) ttl(Fact) (string, int) {
	var key *history.KeyState
	at := ev.last()
	for _, e := range ev.h.Events[:ev.to] {
		if e.Kind == history.Clock && e.Seq >= ev.from && key != nil && key.Deadline > 0 {
			at = e.Seq // its rest is shorter now
		}
		for _, ch := range e.Changes {
			if ch.Key == ev.h.Config.Key() {
				if key = ch.After; e.Seq >= ev.from {
					at = e.Seq
				}
			}
		}
	}
	switch {
	case key == nil:
		return gone, at
	case key.Deadline == 0:
		return none, at
	}
	return (key.Deadline - ev.h.Events[ev.last()].At).String(), at
}

// elapsed decides how much time passes in the step.
func (ev *evidence) elapsed(Fact) (string, int) {
	var sum history.Millis
	for _, e := range ev.step() {
		if e.Kind == history.Clock {
			sum += e.By
		}
	}
	return sum.String(), ev.last()
}

// holds decides with which setting nothing would be violated by now: what CheckChoices finds
// true. A run that violates nothing has no answer.
func (ev *evidence) holds(f Fact) (string, int) {
	if len(ev.found) == 0 {
		return "", 0
	}
	return f.key, ev.last()
}

// woken decides how many clients one event of the step sends a message to, at the most.
func (ev *evidence) woken(Fact) (string, int) {
	most, at := wakes(ev.step())
	if most == 0 {
		at = ev.last()
	}
	return strconv.Itoa(most), at
}

// wakes returns how many messages follow one event, at the most, and the last of them.
func wakes(events []history.Event) (most, at int) {
	at = -1
	n := 0
	for _, e := range events {
		if e.Kind != history.Push {
			n = 0
			continue
		}
		if n++; n > most {
			most, at = n, e.Seq
		}
	}
	return most, at
}

// violated decides which invariant the step violates first.
func (ev *evidence) violated(Fact) (string, int) {
	for _, v := range ev.found {
		if ev.from <= v.Seq && v.Seq < ev.to && !history.Tried(v.Invariant) {
			return v.Invariant, v.Seq
		}
	}
	return nothing, ev.last()
}

// recovers decides whether the lock recovers. Only a check knows.
func (ev *evidence) recovers(Fact) (string, int) {
	switch {
	case ev.open:
		return "", 0
	case history.FirstOf(ev.found, history.LockRecovers) >= 0:
		return "no", ev.last()
	}
	return "yes", ev.last()
}
