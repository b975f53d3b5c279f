package sim

import (
	"cmp"
	"slices"

	"lockstep/sim/history"
)

// This file is a command on its way: sent, executed, answered, lost, late.

// exchange carries a strand's command to its node and the reply back, as far as
// possible, or lets the strand time out.
func (m *attempt) exchange(w *Want) error {
	if err := send(m); err != nil {
		return err
	}
	t := m.strand()
	if m.Now < t.Until && !m.health(w.Node).Slow {
		if err := arrive(m); err != nil {
			return err
		}
	}
	saw := Observation{}
	switch m.phase(t, w) {
	case Held:
		if m.reachable(w) {
			m.answer(w, t)
			m.emit(m.action.Strand, w, m.event(history.Reply, w, t, len(w.Units)-1))
			m.stamp(t)
			return m.observe(Observation{Kind: SawReply, Reply: []byte(t.Reply)})
		}
		if m.Now < t.Until {
			return nil // the node has it, and replies when something else happens
		}
		m.timedOut(w, t, &saw)
	case Answered:
		for i := range w.Units {
			m.emit(m.action.Strand, w, m.event(history.Reply, w, t, i))
		}
		m.stamp(t)
		return m.observe(Observation{Kind: SawReply, Reply: []byte(t.Reply)})
	case Declined:
		saw.Kind = SawRefused
		m.broke(w, t, history.NoServer)
	case CutShort:
		saw.Kind = SawReset
		m.broke(w, t, history.Reset)
	default:
		if m.Now < t.Until {
			return nil // just sent, and no reply comes before its timeout
		}
		m.timedOut(w, t, &saw)
		if m.phase(t, w) == OnTheWay {
			m.abandon(m.action.Strand, t, w)
		}
	}
	m.hangUp(m.connOf(w))
	return m.observe(saw)
}

// timedOut lets the client give up its command.
func (m *attempt) timedOut(w *Want, t *Strand, saw *Observation) {
	saw.Kind = SawTimeOut
	e := m.event(history.TimeOut, w, t, 0)
	e.By = m.patience(w)
	m.emit(m.action.Strand, w, e)
}

// patience returns how long a client waits for the reply to a command.
func (m *attempt) patience(w *Want) history.Millis {
	if w.Blocks == Forever {
		return Forever
	}
	return m.Config.Timeout + w.Blocks
}

// broke tells the client that its connection broke.
func (m *attempt) broke(w *Want, t *Strand, how string) {
	e := m.event(history.Broken, w, t, 0)
	e.Op = how
	m.emit(m.action.Strand, w, e)
}

// send sends a strand's command, unless it is sent.
func send(m *attempt) error {
	t, w := m.strand(), m.want()
	if t.Phase != Idle {
		return nil
	}
	*t = Strand{Phase: OnTheWay, Until: Forever}
	if wait := m.patience(w); wait != Forever {
		t.Until = m.Now + wait
	}
	switch n := m.health(w.Node); {
	case m.me().CutOff(w.Node):
		t.Phase = Lost
	case n.Down:
		t.Phase = Declined
	case m.broken(w):
		t.Phase = CutShort
	default:
		t.Life = n.Life
	}
	for i := range w.Units {
		if call := m.number(); i == 0 {
			t.Call = call
		}
		if t.Phase == OnTheWay || t.Phase == Lost {
			m.emit(m.action.Strand, w, m.event(history.Request, w, t, i))
		}
	}
	return nil
}

func (m *attempt) number() int {
	if m.Call == nil {
		return 0
	}
	return m.Call()
}

// arrive delivers a strand's command to its node, unless it is delivered or
// cannot be.
func arrive(m *attempt) error {
	if err := send(m); err != nil {
		return err
	}
	t, w := m.strand(), m.want()
	if m.phase(t, w) != OnTheWay {
		return nil
	}
	m.overtaken(w, t)
	done, err := m.execute(w)
	if err != nil {
		return err
	}
	t.Phase = Answered
	t.Shown = make([]string, len(done))
	for i, x := range done {
		t.Reply += string(x.Raw)
		t.Stamp = cmp.Or(x.Stamp, t.Stamp)
		t.Shown[i] = x.Reply
		if x.Held {
			t.Phase = Held
			m.emit(m.action.Strand, w, m.event(history.Wait, w, t, i))
			continue
		}
		m.applied(m.action.Strand, w, t.Call, i, x, "")
	}
	return nil
}

// stamp records that the client reads a reply.
func (m *attempt) stamp(t *Strand) {
	if t.Stamp != 0 {
		m.me().Stamp = max(0, t.Stamp)
	}
}

// execute lets a node execute a strand's command.
func (m *attempt) execute(w *Want) ([]Executed, error) {
	units := w.Units
	if renews := func(u Unit) bool { return u.Renews }; m.me().Stamp != 0 && slices.ContainsFunc(units, renews) {
		units = slices.Clone(units)
		for i := range units {
			units[i].Seen = m.me().Stamp
		}
	}
	at, done, err := m.Servers[w.Node].Execute(m.Nodes[w.Node], m.connOf(w), units, m.Now)
	if err != nil {
		return nil, err
	}
	m.Nodes[w.Node] = at
	return done, nil
}

// applied records a unit that a node has executed.
func (m *attempt) applied(strand int, w *Want, call, unit int, x Executed, outcome string) {
	e := commandEvent(history.Apply, w, call, unit)
	e.Reply, e.Changes, e.Outcome = x.Reply, x.Changes, outcome
	e.Token = e.Compares(m.Config.Key())
	m.emit(strand, w, e)
	m.sent(w.Node, x.Happened)
}

func loseRequest(m *attempt) error {
	if err := send(m); err != nil {
		return err
	}
	m.lose()
	return nil
}

func loseReply(m *attempt) error {
	if err := arrive(m); err != nil {
		return err
	}
	m.lose()
	return nil
}

// lose drops the message in transit, request or reply.
func (m *attempt) lose() {
	t, w := m.strand(), m.want()
	e := m.event(history.Fault, w, t, 0)
	e.Op = string(m.action.Verb)
	m.emit(m.action.Strand, w, e)
	t.Phase, t.Life = Lost, 0
}

// late delivers the client's oldest abandoned request.
func late(m *attempt) error {
	i := m.abandonedBy(m.client)
	a := m.Abandoned[i]
	e := commandEvent(history.Fault, &a.Want, a.Call, 0)
	e.Op = string(history.Late)
	m.emit(a.Strand, &a.Want, e)
	m.Abandoned = slices.Concat(m.Abandoned[:i], m.Abandoned[i+1:])
	done, err := m.execute(&a.Want)
	if err != nil {
		return err
	}
	for j, x := range done {
		if !x.Held { // otherwise hangUp ends its wait
			m.applied(a.Strand, &a.Want, a.Call, j, x, history.Unread)
		}
	}
	m.hangUp(m.connOf(&a.Want))
	return nil
}

// abandon keeps a request in transit whose sender no longer waits. Requests are
// ordered by client, since the order between clients makes no difference.
func (m *attempt) abandon(strand int, t *Strand, w *Want) {
	m.Abandoned = append(slices.Clone(m.Abandoned), Abandoned{m.client, strand, *w, t.Call})
	slices.SortStableFunc(m.Abandoned, func(a, b Abandoned) int { return a.Client - b.Client })
}

// event describes what happens to a unit of a strand's command.
func (m *attempt) event(kind history.Kind, w *Want, t *Strand, unit int) history.Event {
	e := commandEvent(kind, w, t.Call, unit)
	if t.Shown != nil {
		e.Reply = t.Shown[unit]
	}
	return e
}

func commandEvent(kind history.Kind, w *Want, call, unit int) history.Event {
	u := &w.Units[unit]
	if call > 0 {
		call += unit
	}
	return history.Event{
		Kind: kind, Node: history.NodeName(w.Node), Call: call, During: w.During, Cmds: u.Shown, Source: u.Source,
	}
}
