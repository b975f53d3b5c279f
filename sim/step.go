package sim

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A rule defines when a verb is possible and what it does. refusal is called
// only if client, strand and node exist and the client is alive; nil never
// refuses.
type rule struct {
	refusal func(*attempt) Refusal
	effect  func(*attempt) error
}

// rules lists everything that can happen in a world. A new fault needs a line
// here, a verb in package history, and its texts in prose.
var rules map[history.Verb]rule

func init() { // breaks the cycle of initialization
	rules = map[history.Verb]rule{
		history.Step:        {stepRefusal, step},
		history.Send:        {messageRefusal, send},
		history.Arrive:      {messageRefusal, arrive},
		history.LoseRequest: {messageRefusal, loseRequest},
		history.LoseReply:   {messageRefusal, loseReply},
		history.LosePush:    {losePushRefusal, losePush},
		history.Late:        {lateRefusal, late},
		history.Crash:       {nil, crash},
		history.Hang:        {hangRefusal, hang},
		history.Pause:       {pauseRefusal, pause},
		history.Cancel:      {cancelRefusal, cancel},
		history.Jump:        {jumpRefusal, turnClock},
		history.Rate:        {rateRefusal, turnClock},
		history.Cut:         {linkFaultRefusal, cut},
		history.Heal:        {linkFaultRefusal, heal},
		history.Restart:     {unless(down, "%s is down"), nodeFault},
		history.Wipe:        {unless(down, "%s is down"), nodeFault},
		history.Down:        {unless(down, "%s is down already"), nodeFault},
		history.Up:          {unless(up, "%s is not down"), nodeFault},
		history.Slow:        {unless(slow, "%s is slow already"), nodeFault},
		history.Fast:        {unless(fast, "%s is not slow"), nodeFault},
		history.Promote:     {promoteRefusal, nodeFault},
		history.Evict:       {evictRefusal, evict},
		history.Flush:       {nil, flush},
		history.Advance:     {advanceRefusal, advance},
		history.Tick:        {tickRefusal, tick},
	}
}

// Step performs a possible action. Stories, players, fuzzers and the explorer
// all use it. An error is that of a party and ends the run.
func (s *State) Step(a history.Action, p *Parties) error {
	m := s.attempt(a, p)
	if m.client >= 0 && a.Verb.OfStrand() {
		m.resume()
	}
	return rules[a.Verb].effect(&m)
}

// emit takes an event of a strand of the client; see by.
func (m *attempt) emit(strand int, w *Want, e history.Event) { m.Emit(m.by(strand, w, e)) }

// fault is the event of the action, which is a fault.
func (m *attempt) fault() history.Event {
	return history.Event{Kind: history.Fault, Op: string(m.action.Verb), Node: m.action.Node, By: m.action.By}
}

// step lets a strand complete what it is about to do.
func step(m *attempt) error {
	switch w := m.want(); w.Saw {
	case SawNow:
		return m.observe(Observation{Kind: SawNow, Shown: m.me().Clock.read(m.Now)})
	case SawAccess:
		access := w.Access
		var err error
		if m.Resource, err = m.Store.Do(m.Resource, &access); err != nil {
			return lang.Errorf("%s %s: %w", access.Op, m.Config.Resource, err)
		}
		m.emit(m.action.Strand, w, access.Event(m.Config))
		return m.observe(Observation{Kind: SawAccess, Access: access})
	case SawReply:
		return m.exchange(w)
	case SawPush:
		return m.receive(w)
	}
	return m.observe(Observation{})
}

// observe hands the strand an observation and runs it to its next step.
func (m *attempt) observe(o Observation) error {
	me, id := m.me(), m.action.Strand
	before := m.wants()
	o.Drew = m.action.Drew
	if m.KeepTime {
		o.Shown = me.Clock.read(m.Now)
	}
	at, events, err := m.Programs[m.client].Observe(me.Code, id, o)
	if err != nil {
		return err
	}
	me.Code = at
	panicked, wants := false, m.wants()
	busy := slices.ContainsFunc(wants, func(w Want) bool { return !w.Ended && w.Saw == SawReply })
	for _, e := range events {
		e.Busy = busy && (e.Op == history.OpRelease || e.Op == history.OpAcquire && me.Cancelled != 0) && e.Kind != history.Invoke
		m.emit(id, &before[id], e)
		panicked = panicked || e.Kind == history.Panic
	}
	if panicked { // a panic ends a process that does not recover from it
		for _, name := range m.members() {
			if !slices.ContainsFunc(events, func(e history.Event) bool { return cmp.Or(e.Client, m.Names[m.client]) == name }) {
				m.emit(0, nil, history.Event{Kind: history.Fault, Op: string(history.Crash), Client: name}.While(m.doing(name)))
			}
		}
		m.die()
		return nil
	}
	if len(wants) < len(before) { // it has run anew
		return lang.Errorf("%w: client %s has lost a thread", ErrNondeterministic, m.Names[m.client])
	}
	for len(me.Strands) < len(wants) {
		me.Strands = append(me.Strands, Strand{})
	}
	if o.Kind != SawCancel { // which leaves the strand where it is
		me.Strands[id] = Strand{}
	}
	for i := range before { // a strand that waited for a message may do something else
		if was, is := &before[i], &wants[i]; was.Saw == SawPush && (is.Saw != SawPush || is.Ended || was.Conn != is.Conn) {
			me.Strands[i] = Strand{}
		}
	}
	for _, link := range wants[id].Closed {
		m.hangUp(ConnName(m.Names[m.client], link.Conn))
	}
	if w := &wants[id]; o.Kind != SawCancel && !w.Ended && w.Saw == SawNothing && w.Wakes.IsZero() && !w.Stays {
		by := me.Clock.Length(w.For)
		if by > 0 {
			me.Strands[id].Until = m.Now + by
		}
		m.emit(id, w, history.Event{Kind: history.Sleep, By: by})
	}
	if !slices.ContainsFunc(wants, func(w Want) bool { return !w.Ended }) {
		me.Done = true
		m.leave()
	}
	return nil
}

func crash(m *attempt) error {
	for _, name := range m.members() {
		e := m.fault()
		e.Client = name
		m.emit(0, nil, e.While(m.doing(name)))
	}
	m.die()
	return nil
}

// die ends the client's process. Its requests stay in transit.
func (m *attempt) die() {
	me := m.me()
	if wants := m.wants(); !me.Done {
		for id := range me.Strands {
			if t := &me.Strands[id]; wants[id].Saw == SawReply && m.phase(t, &wants[id]) == OnTheWay {
				m.abandon(id, t, &wants[id])
			}
		}
	}
	m.Programs[m.client].Die()
	me.Dead, me.Strands = true, nil
	m.leave()
}

func hang(m *attempt) error {
	m.emit(0, nil, m.fault().While(m.doing(m.Names[m.client])))
	me := m.me()
	me.Hung = true
	if t := &me.Strands[0]; t.Phase == Idle {
		t.Until = 0 // it will not wake
	}
	return nil
}

// doing describes what a client is about to do, for the event of its death.
func (m *attempt) doing(client string) lang.Message {
	id, wants := m.Strand(history.Action{Client: client}), m.wants()
	if m.me().Done || wants[id].Ended {
		return lang.New("when it is done")
	}
	w, t := &wants[id], &m.me().Strands[id]
	text := w.InFull(m.me().Clock)
	switch {
	case w.Saw == SawReply && m.phase(t, w) == Answered:
		return lang.New("before it reads the reply to %s", text)
	case w.Saw == SawReply && t.Phase != Idle:
		return lang.New("while %s is on the way", text)
	}
	return lang.New("before %s", text)
}

// pause lets the client's process stand still until its next step.
func pause(m *attempt) error {
	m.emit(0, nil, m.fault().While(m.doing(m.Names[m.client])))
	m.me().Paused = true
	m.attend(Silent)
	return nil
}

// resume ends a pause.
func (m *attempt) resume() {
	if m.me().Paused {
		m.me().Paused = false
		m.attend(Pings)
	}
}

// cancel ends the context that a program was given. A command that is under way is not
// interrupted, and its reply is read: go-redis looks at a context before it sends.
func cancel(m *attempt) error {
	m.emit(m.action.Strand, m.want(), m.fault())
	m.me().Cancelled |= 1 << m.action.Strand
	return m.observe(Observation{Kind: SawCancel})
}

// leave ends the connections of a client whose process has ended. Nothing keeps its
// sessions alive any more.
func (m *attempt) leave() {
	m.hangUp(m.Names[m.client] + "/")
	for node := range m.Nodes {
		m.attendOn(node, Left)
	}
}

// attend records with all nodes that the client can reach whether it keeps its
// sessions alive.
func (m *attempt) attend(how Attendance) {
	for node := range m.Nodes {
		if !m.me().CutOff(node) {
			m.attendOn(node, how)
		}
	}
}

func (m *attempt) attendOn(node int, how Attendance) {
	m.Nodes[node] = m.Servers[node].Attend(m.Nodes[node], m.Names[m.client], how)
}

// turnClock changes the clock of a client or a node.
func turnClock(m *attempt) error {
	if m.client < 0 {
		return nodeFault(m)
	}
	m.emit(0, nil, m.fault())
	m.me().Clock.Turn(m.Now, m.action)
	return nil
}

// cut cuts the client off from a node.
func cut(m *attempt) error {
	m.emit(0, nil, m.fault())
	me := m.me()
	me.Cut |= 1 << m.node
	m.attendOn(m.node, Silent)
	wants := m.wants()
	for id := range me.Strands {
		w, t := &wants[id], &me.Strands[id]
		if silence := m.Config.Silence(); w.Saw == SawPush && w.Node == m.node && t.Phase == Idle && silence > 0 {
			t.Until = m.Now + silence
		} else if at := m.phase(t, w); w.Saw == SawReply && w.Node == m.node && (at == OnTheWay || at == Answered) {
			t.Phase, t.Life = Lost, 0
		}
	}
	m.drop(func(a *Abandoned) bool { return a.Client == m.client && a.Want.Node == m.node })
	return nil
}

func heal(m *attempt) error {
	m.emit(0, nil, m.fault())
	m.me().Cut &^= 1 << m.node
	for id, w := range m.wants() {
		if w.Saw == SawPush && w.Node == m.node {
			m.me().Strands[id].Until = 0
		}
	}
	if !m.me().Paused {
		m.attendOn(m.node, Pings)
	}
	return nil
}

// nodeFault applies a fault to a node. A restart ends every connection to it and
// every request in transit.
func nodeFault(m *attempt) error {
	life := m.health(m.node).Life
	at, did, err := m.Servers[m.node].Fault(m.Nodes[m.node], m.action, m.Now)
	if err != nil {
		return err
	}
	m.Nodes[m.node] = at
	e := m.fault()
	e.Changes = did.Changes
	m.Emit(e)
	m.sent(m.node, did)
	if m.health(m.node).Life != life {
		m.drop(func(a *Abandoned) bool { return a.Want.Node == m.node })
	}
	return nil
}

// drop loses abandoned requests.
func (m *attempt) drop(which func(*Abandoned) bool) {
	m.Abandoned = slices.DeleteFunc(slices.Clone(m.Abandoned), func(a Abandoned) bool { return which(&a) })
}

// evict lets a node evict the lock's key.
func evict(m *attempt) error {
	del := []Unit{{Cmds: [][]string{{"DEL", m.Config.Key()}}}}
	at, done, err := m.Servers[m.node].Execute(m.Nodes[m.node], "nobody", del, m.Now)
	if err != nil {
		return err
	}
	m.Nodes[m.node] = at
	e := m.fault()
	e.Changes = done[0].Changes
	m.Emit(e)
	m.sent(m.node, done[0].Happened)
	return nil
}

// flush lets every node forget its scripts.
func flush(m *attempt) error {
	m.Emit(m.fault())
	for i := range m.Nodes {
		at, _, err := m.Servers[i].Fault(m.Nodes[i], m.action, m.Now)
		if err != nil {
			return err
		}
		m.Nodes[i] = at
	}
	return nil
}

// EndFaults restores all nodes and connections; dead and hung clients stay so.
// It emits no events.
func (s *State) EndFaults(p *Parties) error {
	quiet := *p
	quiet.Emit = func(history.Event) {}
	for i := range s.Nodes {
		for _, verb := range []history.Verb{history.Up, history.Fast} {
			if a := (history.Action{Verb: verb, Node: history.NodeName(i)}); s.Refusal(a, &quiet).No() {
				if err := s.Step(a, &quiet); err != nil {
					return err
				}
			}
		}
	}
	for i := range s.Clients {
		s.Clients[i].Cut, s.Clients[i].Paused = 0, false
	}
	for i := range s.Nodes {
		s.Nodes[i] = p.Servers[i].Attend(s.Nodes[i], "", Pings)
	}
	return nil
}

// hangUp lets the nodes forget the connections with a prefix, except those over
// which a request can still arrive.
func (m *attempt) hangUp(prefix string) {
	for i := range m.Nodes {
		m.Nodes[i] = m.Servers[i].Forget(m.Nodes[i], func(conn string) bool {
			return strings.HasPrefix(conn, prefix) && !slices.ContainsFunc(m.Abandoned, func(a Abandoned) bool {
				return ConnName(m.Names[a.Client], a.Want.Conn) == conn
			})
		})
	}
}
