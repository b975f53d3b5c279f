package sim

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// This file is a message on its way from a node to a client that did not ask for
// it just then: a push, or the reply to a command that the node held. A node
// keeps what it has sent over a connection until the client reads it, in order.
// So a message is late by itself, and it is lost only with its connection.

// sent emits an event for each message that a node sends.
func (m *attempt) sent(node int, did Happened) {
	for _, msg := range did.Sent {
		client, _, _ := strings.Cut(msg.Conn, "/")
		m.Emit(history.Event{Kind: history.Push, Client: client, Node: history.NodeName(node), Reply: msg.Text, Changes: msg.Changes})
	}
}

func (m *attempt) connOf(w *Want) string { return ConnName(m.Names[m.client], w.Conn) }

// unread returns the next message for the strand.
func (m *attempt) unread(w *Want) (Message, bool) {
	return m.view(w.Node).Unread(m.connOf(w))
}

// reachable reports whether the next message for the strand can reach it.
func (m *attempt) reachable(w *Want) bool {
	_, there := m.unread(w)
	return there && !m.me().CutOff(w.Node) && !m.health(w.Node).Slow
}

// take removes and returns the next message for the strand.
func (m *attempt) take(w *Want) Message {
	msg, _ := m.unread(w)
	m.Nodes[w.Node] = m.Servers[w.Node].Take(m.Nodes[w.Node], m.connOf(w))
	return msg
}

// receiveRefusal returns why a strand that waits for a message cannot go on.
func receiveRefusal(m *attempt, w *Want) Refusal {
	name := history.NodeName(w.Node)
	_, there := m.unread(w)
	switch {
	case m.unheard(w):
		return Refusal{}
	case m.me().CutOff(w.Node):
		return refuse("%s is cut off from %s", m.action.Client, name)
	case m.ended(w):
		return Refusal{}
	case !there:
		return refuse("%s waits for a message from %s", m.label(), name)
	case m.behind(w):
		return refuse("%s first reads a reply over the same connection", m.label())
	case m.health(w.Node).Slow:
		return refuse("%s answers too late", name)
	}
	return Refusal{}
}

// behind reports whether a reply to another strand comes over the connection
// before the next message.
func (m *attempt) behind(w *Want) bool {
	wants, me := m.wants(), m.me()
	for id := range me.Strands {
		if o := &wants[id]; id != m.action.Strand && o.Saw == SawReply && o.Node == w.Node && o.Conn == w.Conn && m.phase(&me.Strands[id], o) == Answered {
			return true
		}
	}
	return false
}

// ended reports whether the connection that the strand reads from has ended.
func (m *attempt) ended(w *Want) bool { return m.strand().Phase == CutShort || m.broken(w) }

// unheard reports whether the strand's client has waited in vain for replies to its pings, as
// long as its library does: then it ends the connection itself.
func (m *attempt) unheard(w *Want) bool {
	t := m.strand()
	return m.me().CutOff(w.Node) && t.Phase == Idle && t.Until > 0 && t.Until <= m.Now
}

// receive hands the strand the next message, or the end of its connection.
func (m *attempt) receive(w *Want) error {
	e := history.Event{Kind: history.Broken, Op: history.Reset, Node: history.NodeName(w.Node)}
	unheard := m.unheard(w)
	if unheard {
		e.Op, e.By = history.Unheard, m.Config.Silence()
	}
	if unheard || m.ended(w) {
		m.emit(m.action.Strand, w, e)
		m.hangUp(m.connOf(w))
		return m.observe(Observation{Kind: SawReset})
	}
	return m.observe(Observation{Kind: SawPush, Reply: []byte(m.received(w).Raw)})
}

// received takes the next message for the strand.
func (m *attempt) received(w *Want) Message {
	msg := m.take(w)
	m.emit(m.action.Strand, w, history.Event{Kind: history.Receive, Node: history.NodeName(w.Node), Reply: msg.Text})
	return msg
}

// answer adds the reply to a command that the node held.
func (m *attempt) answer(w *Want, t *Strand) {
	msg := m.take(w)
	t.Reply += msg.Raw
	t.Shown = slices.Clone(t.Shown) // copies of the state share it
	t.Shown[len(t.Shown)-1] = msg.Text
}

// overtaken puts the messages that a node sent over a connection before a reply
// in front of it.
func (m *attempt) overtaken(w *Want, t *Strand) {
	for {
		if _, there := m.unread(w); !there {
			return
		}
		t.Reply += m.received(w).Raw
	}
}

func losePushRefusal(m *attempt) Refusal {
	w := m.want()
	waits := w.Saw == SawPush || w.Saw == SawReply && m.phase(m.strand(), w) == Held
	if !m.me().Done && !w.Ended && waits {
		if _, there := m.unread(w); there {
			return Refusal{}
		}
	}
	return refuse("nothing is on its way to %s unasked", m.label())
}

// losePush loses what a node has sent over a connection, with the connection.
func losePush(m *attempt) error {
	w, t := m.want(), m.strand()
	msg, _ := m.unread(w)
	m.emit(m.action.Strand, w, history.Event{Kind: history.Fault, Op: string(m.action.Verb), Node: history.NodeName(w.Node), Reply: msg.Text})
	m.hangUp(m.connOf(w))
	*t = Strand{Phase: CutShort, Until: m.Now, Call: t.Call}
	return nil
}

// Listens reports whether a living client that does not hang, and whose main
// program has not ended, waits for a message, or for the reply to a command that
// its node holds. A goroutine that shares its process may wait for another one.
func (s *State) Listens(client int, p *Parties) bool {
	c := &s.Clients[client]
	if c.Dead || c.Done || c.Hung {
		return false
	}
	m := attempt{State: s, Parties: p, client: client}
	wants := m.wants()
	if !m.working(wants) {
		return false // what still listens has been forgotten
	}
	for id, w := range wants {
		if !w.Ended && (w.Of > 0 && w.Stays || w.Saw == SawPush || w.Saw == SawReply && m.phase(&c.Strands[id], &w) == Held) {
			return true
		}
	}
	return false
}

// Asleep returns who of a process that listens waits for another goroutine of it, and
// for which; "" if it waits for a message.
func (s *State) Asleep(client int, p *Parties) (who, of string) {
	m := attempt{State: s, Parties: p, client: client}
	for _, w := range m.wants() {
		switch {
		case w.Of == 0 || w.Ended:
		case w.Saw != SawNothing:
			return "", ""
		case w.Stays && who == "":
			who = p.Config.Clients[w.Of-1]
		}
	}
	for _, c := range p.Config.Clients {
		if who != "" && c != who {
			return who, c
		}
	}
	return who, ""
}

// working reports whether a main program of the client has not ended.
func (m *attempt) working(wants []Want) bool {
	for i := range m.members() {
		if id := m.Strand(history.Action{Client: m.members()[i]}); id < len(wants) && !wants[id].Ended {
			return true
		}
	}
	return false
}

// Stranded returns a client that listens if nothing will happen any more by
// itself; -1 otherwise.
func (s *State) Stranded(p *Parties) int {
	if _, timed := s.NextDeadline(p); timed || len(s.Abandoned) > 0 {
		return -1
	}
	listener := -1
	for i := range p.Names {
		for id := range s.Clients[i].Strands {
			if s.CanStep(i, id, p) {
				return -1
			}
		}
		if listener < 0 && s.Listens(i, p) {
			listener = i
		}
	}
	return listener
}
