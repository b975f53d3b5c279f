package sim

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Refusal is why an action is impossible; the zero Refusal means that it is
// possible.
type Refusal struct {
	lang.Message
	end error // see Err
}

func refuse(format string, args ...any) Refusal { return Refusal{lang.New(format, args...), nil} }

// No reports that the action is possible.
func (r Refusal) No() bool { return r.None() }

// An attempt is an action in a state, with its client, strand and node.
type attempt struct {
	*State
	*Parties
	action history.Action
	client int // -1 for none
	node   int // -1 for none
}

func (s *State) attempt(a history.Action, p *Parties) attempt {
	m := attempt{s, p, a, -1, -1}
	if a.Client != "" {
		m.client, m.action.Strand = p.Process(a.Client), p.Strand(a)
	}
	if a.Node != "" {
		m.node = nodeIndex(a.Node, len(s.Nodes))
	}
	return m
}

// nodeIndex is the inverse of NodeName; -1 if there is no such node.
func nodeIndex(name string, nodes int) int {
	if len(name) == 2 && name[0] == 'r' && name[1] > '0' && int(name[1]-'0') <= nodes {
		return int(name[1] - '1')
	}
	return -1
}

// Refusal returns why an action is impossible now. Stories, players, fuzzers and
// the explorer all use it.
func (s *State) Refusal(a history.Action, p *Parties) Refusal {
	rule, known := rules[a.Verb]
	if !known {
		return refuse("%q is not a verb", a.Verb)
	}
	m := s.attempt(a, p)
	ofClient, ofNode := a.Concerns()
	switch {
	case (ofNode || a.Node != "") && m.node < 0:
		return refuse("there is no node %q; use %s", a.Node, lang.Names(s.nodeNames()))
	case !ofClient:
	case m.client < 0:
		return refuse("there is no client %q", a.Client)
	case p.goroutine(a.Client) > 0 && !a.Verb.OfStrand():
		return refuse("%s is a goroutine of the process %s", a.Client, p.Names[m.client])
	case m.action.Strand < 0 || m.action.Strand >= len(m.wants()):
		return refuse("client %s has no thread %d", a.Client, a.Strand)
	case m.me().Dead && a.Verb != history.Late:
		return refuse("client %s is dead", a.Client)
	}
	if rule.refusal == nil {
		return Refusal{}
	}
	return rule.refusal(&m)
}

func (s *State) nodeNames() []string {
	names := make([]string, len(s.Nodes))
	for i := range names {
		names[i] = history.NodeName(i)
	}
	return names
}

// me is the client that the action concerns.
func (m *attempt) me() *ClientState { return &m.Clients[m.client] }

// strand is the strand that the action concerns.
func (m *attempt) strand() *Strand { return &m.me().Strands[m.action.Strand] }

func (m *attempt) wants() []Want { return m.Programs[m.client].Wants(m.me().Code) }

func (m *attempt) want() *Want { return &m.wants()[m.action.Strand] }

func (m *attempt) view(node int) View { return m.Servers[node].View(m.Nodes[node]) }

func (m *attempt) health(node int) Health { return m.view(node).Condition() }

// phase returns how far a strand's command is. A restart of the node since it
// was sent has broken the connection.
func (m *attempt) phase(t *Strand, w *Want) Phase {
	if (t.Phase == OnTheWay || t.Phase == Answered || t.Phase == Held) && t.Life != m.health(w.Node).Life {
		return CutShort
	}
	return t.Phase
}

// stepRefusal returns why a strand cannot take a step.
func stepRefusal(m *attempt) Refusal {
	w := m.want()
	switch {
	case m.me().Done || w.Ended:
		return refuse("%s is done", m.label())
	case m.hangs():
		return refuse("%s hangs", m.label())
	case w.Stays:
		return refuse("%s waits for its other threads", m.label())
	}
	t := m.strand()
	if w.Saw == SawPush {
		return receiveRefusal(m, w)
	}
	held := w.Saw == SawReply && m.phase(t, w) == Held
	at, waits := m.due(t, w)
	switch {
	case held && m.reachable(w):
		return Refusal{}
	case !waits || at <= m.Now:
		return Refusal{}
	case w.Saw != SawReply:
		return refuse("%s sleeps until %v", m.label(), at)
	case t.Phase == OnTheWay && !m.health(w.Node).Slow:
		return Refusal{} // the step carries the command to the node and back
	}
	if at == Forever {
		return refuse("%s waits for a reply", m.label())
	}
	return refuse("%s waits for a reply until %v", m.label(), at)
}

// CanStep reports whether Refusal has nothing against a step of a strand. Whoever lets
// all run in turn asks mostly about some that are done or asleep: it makes no words
// for these.
func (s *State) CanStep(client, strand int, p *Parties) bool {
	m := attempt{s, p, history.Action{Verb: history.Step, Client: p.Names[client], Strand: strand}, client, -1}
	if m.me().Dead || m.me().Done || strand >= len(m.wants()) || m.want().Ended {
		return false
	}
	if at, waits := m.due(m.strand(), m.want()); waits && at > m.Now && m.want().Saw == SawNothing {
		return false
	}
	return stepRefusal(&m).No()
}

// due returns when a strand that waits for time can go on, and whether it waits
// for time; Forever if only a message can help it.
func (m *attempt) due(t *Strand, w *Want) (history.Millis, bool) {
	switch {
	case w.Ended:
		return 0, false
	case w.Saw == SawReply:
		phase := m.phase(t, w)
		return t.Until, phase == OnTheWay || phase == Lost || phase == Held
	case w.Saw == SawPush:
		return t.Until, t.Until > m.Now
	case !w.Wakes.IsZero():
		return m.me().Clock.when(w.Wakes), true
	}
	return t.Until, w.Sleeps
}

// hangs reports whether the strand hangs in a living process.
func (m *attempt) hangs() bool { return m.action.Strand == 0 && m.me().Hung }

// messageRefusal returns why a part of sending a command is impossible.
func messageRefusal(m *attempt) Refusal {
	w := m.want()
	if m.me().Done || w.Ended || w.Saw != SawReply || m.hangs() {
		return refuse("%s is not about to send a command", m.label())
	}
	verb := m.action.Verb
	switch phase := m.phase(m.strand(), w); {
	case phase == Idle:
	case verb == history.Send:
		return refuse("the request is sent already")
	case phase == Held, phase == Answered && verb != history.LoseReply:
		return refuse("the request has reached its node already")
	case phase != OnTheWay && phase != Answered:
		return refuse("the request or its reply is lost already")
	}
	return m.linkRefusal(w)
}

// linkRefusal returns why a message cannot reach its node, or its reply return
// in time.
func (m *attempt) linkRefusal(w *Want) Refusal {
	name, n := history.NodeName(w.Node), m.health(w.Node)
	switch verb := m.action.Verb; {
	case verb == history.Send:
	case m.me().CutOff(w.Node):
		return refuse("%s is cut off from %s", m.action.Client, name)
	case n.Down:
		return refuse("%s is down", name)
	case m.broken(w):
		return refuse("the connection to %s is broken", name)
	case n.Slow && verb != history.LoseRequest:
		return refuse("%s answers too late", name)
	}
	return Refusal{}
}

func (m *attempt) broken(w *Want) bool {
	return m.view(w.Node).Broken(m.connOf(w))
}

func (m *attempt) label() lang.Message {
	a := m.OfStrand(m.action.Verb, m.client, m.action.Strand)
	if a.Strand == 0 {
		return lang.Quote(a.Client)
	}
	return lang.New("%s (%s)", a.Who(), m.want().Name)
}

func lateRefusal(m *attempt) Refusal {
	if m.abandonedBy(m.client) < 0 {
		return refuse("no request of %s is on the way without its sender", m.action.Client)
	}
	return Refusal{}
}

func hangRefusal(m *attempt) Refusal {
	switch {
	case m.me().Hung:
		return refuse("client %s hangs already", m.action.Client)
	case m.me().Done:
		return refuse("client %s is done", m.action.Client)
	}
	return Refusal{}
}

func pauseRefusal(m *attempt) Refusal {
	switch {
	case m.me().Paused:
		return refuse("client %s is paused already", m.action.Client)
	case m.me().Done:
		return refuse("client %s is done", m.action.Client)
	}
	return Refusal{}
}

func cancelRefusal(m *attempt) Refusal {
	switch w, strand := m.want(), m.action.Strand; {
	case strand > 0 && m.goroutine(m.action.Client) == 0:
		return refuse("%s has no context of its own", m.label())
	case w.Fresh:
		return refuse("%s has not begun", m.label())
	case w.Ended:
		return refuse("%s is done", m.label())
	case m.me().Cancelled>>strand&1 == 1:
		return refuse("the context of %s is cancelled already", m.label())
	}
	return Refusal{}
}

func jumpRefusal(m *attempt) Refusal {
	switch {
	case m.client < 0:
		return jumpEnds(m.action.Node, m.health(m.node).Clock.deviation(m.Now), m.action.By)
	case m.KeepTime && m.action.By < 0:
		return refuse("the clock of a client that keeps its own time cannot be set back")
	}
	return jumpEnds(m.action.Client, m.me().Clock.deviation(m.Now), m.action.By)
}

func rateRefusal(m *attempt) Refusal {
	if by := m.action.By; by < 1 || by > history.MaxRate {
		return refuse("a rate lies between 1 and %d thousandths", history.MaxRate)
	}
	return Refusal{}
}

func linkFaultRefusal(m *attempt) Refusal {
	switch off := m.me().CutOff(m.node); {
	case m.me().Done:
		return refuse("client %s is done", m.action.Client)
	case off && m.action.Verb == history.Cut:
		return refuse("client %s is cut off from %s already", m.action.Client, m.action.Node)
	case !off && m.action.Verb == history.Heal:
		return refuse("client %s is not cut off from %s", m.action.Client, m.action.Node)
	}
	return Refusal{}
}

// unless refuses a fault of a node in some condition.
func unless(bad func(Health) bool, format string) func(*attempt) Refusal {
	return func(m *attempt) Refusal {
		if bad(m.health(m.node)) {
			return refuse(format, m.action.Node)
		}
		return Refusal{}
	}
}

func down(h Health) bool { return h.Down }
func up(h Health) bool   { return !h.Down }
func slow(h Health) bool { return h.Slow }
func fast(h Health) bool { return !h.Slow }

func evictRefusal(m *attempt) Refusal {
	switch {
	case m.health(m.node).Down:
		return refuse("%s is down", m.action.Node)
	case !m.view(m.node).Has(m.Config.Key()):
		return refuse("%s has no key %s", m.action.Node, m.Config.Key())
	}
	return Refusal{}
}

func promoteRefusal(m *attempt) Refusal {
	if by, most := m.action.By, m.view(m.node).Missed(); by < 1 || int(by) > most {
		return refuse("the replica of %s can have missed %d writes at most", m.action.Node, most)
	}
	return Refusal{}
}

func advanceRefusal(m *attempt) Refusal {
	if m.action.By <= 0 {
		return refuse("time only moves forward")
	}
	return m.endOfTime(m.Now + min(m.action.By, history.MaxTime+1))
}

func tickRefusal(m *attempt) Refusal {
	next, ok := m.nextDeadline()
	if !ok {
		return refuse("no key expires and nobody waits for time")
	}
	return m.endOfTime(next)
}

// Candidates lists the actions of some kinds, for each client, strand and node
// that they can concern, whatever the kinds name. The clients come first, each
// with the actions of its strands, its own, and those of it and a node; then the
// nodes; then the rest. Actions that concern the same come in the order of the
// kinds.
func (s *State) Candidates(p *Parties, kinds ...history.Action) (list []history.Action) {
	add := func(a history.Action, strand bool) {
		for _, kind := range kinds {
			client, node := kind.Concerns()
			if client == (a.Client != "") && node == (a.Node != "") && kind.Verb.OfStrand() == strand {
				a.Verb, a.By = kind.Verb, kind.By
				list = append(list, a)
			}
		}
	}
	for i, name := range p.Names {
		for id := range s.Clients[i].Strands {
			add(p.OfStrand(history.Step, i, id), true)
		}
		add(history.Action{Client: name}, false)
		for _, node := range s.nodeNames() {
			add(history.Action{Client: name, Node: node}, false)
		}
	}
	for _, node := range s.nodeNames() {
		add(history.Action{Node: node}, false)
	}
	add(history.Action{}, false)
	return list
}

// Enabled lists the candidates that are possible.
func (s *State) Enabled(p *Parties, kinds ...history.Action) []history.Action {
	return slices.DeleteFunc(s.Candidates(p, kinds...), func(a history.Action) bool { return !s.Refusal(a, p).No() })
}
