package explore

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

// act performs an action of one client. The caller has made sure that it is
// enabled.
func (p *parts) act(who int, client, env int32, action int16) (move, error) {
	key := actKey{client, env, int16(who), action}
	if m, ok := p.acts[key]; ok {
		return m, nil
	}
	s := &scene{parts: p, who: who, env: p.envs.list[env].clone(), client: *p.clients[who].list[client]}
	s.client.threads = slices.Clone(s.client.threads)
	if err := s.perform(p.verbs.list[action]); err != nil {
		return move{}, err
	}
	m := move{p.client(who, s.client), p.env(s.env), p.events(s.events), action}
	p.acts[key] = m
	return m, nil
}

// A scene is one client and the world around it while an action happens.
type scene struct {
	*parts
	who    int
	client clientState
	env    envState
	events []history.Event
}

func (s *scene) pending(thread int) *sim.Pending {
	return &s.learners[s.who].nodes[s.client.node].threads[thread]
}

func (s *scene) emit(thread int, e history.Event) {
	e.Client, e.Thread = s.names[s.who], thread
	s.events = append(s.events, e)
}

func (s *scene) perform(a history.Action) error {
	switch a.Verb {
	case history.Step:
		return s.step(a.Thread)
	case history.Send:
		s.send(a.Thread)
	case history.Arrive:
		return s.arrive(a.Thread)
	case history.LoseRequest:
		s.send(a.Thread)
		s.client.threads[a.Thread].phase = lost
		s.client.threads[a.Thread].life = 0
	case history.LoseReply:
		if err := s.arrive(a.Thread); err != nil {
			return err
		}
		s.client.threads[a.Thread].phase = lost
		s.client.threads[a.Thread].reply = ""
		s.client.threads[a.Thread].life = 0
	case history.Late:
		return s.late()
	case history.Cut:
		s.cut(nodeIndex(a.Node))
	case history.Heal:
		s.client.cut &^= 1 << nodeIndex(a.Node)
	case history.Crash:
		s.emit(0, history.Event{Kind: history.Fault, Op: string(history.Crash)})
		s.die()
	case history.Hang:
		if s.client.hung = !s.client.done; s.client.hung && s.client.threads[0].phase == idle {
			s.client.threads[0].until = 0 // it will not wake
		}
	case history.Jump:
		if s.client.done {
			return nil
		}
		if err := sim.JumpEnds(a.Client, s.client.offset, a.By); err != nil {
			return fmt.Errorf("explore: %w", err)
		}
		s.client.offset += a.By
	default:
		return fmt.Errorf("explore: %s is not explored", a.Verb)
	}
	return nil
}

func (s *scene) step(thread int) error {
	t := &s.client.threads[thread]
	switch what := s.pending(thread); what.Saw {
	case sim.SawNow:
		shown := sim.Epoch.Add(s.env.now.Duration() + s.client.offset.Duration())
		return s.observe(thread, sim.Observation{Kind: sim.SawNow, Shown: shown})
	case sim.SawAccess:
		access := what.Access
		access.Do(&s.env.resource)
		s.emit(thread, access.Event(s.config))
		return s.observe(thread, sim.Observation{Kind: sim.SawAccess, Access: access})
	case sim.SawReply:
		return s.exchange(thread, t, what)
	}
	return s.observe(thread, sim.Observation{})
}

// exchange lets a thread's command get to its node and the reply back, as far
// as they get, or the thread give up.
func (s *scene) exchange(thread int, t *threadState, what *sim.Pending) error {
	s.send(thread)
	if s.env.now < t.until && !s.health(what.Node, &s.env).Slow {
		if err := s.arrive(thread); err != nil {
			return err
		}
	}
	var saw sim.Observation
	switch s.phase(*t, what, &s.env) {
	case answered:
		return s.observe(thread, sim.Observation{Kind: sim.SawReply, Reply: []byte(t.reply)})
	case refused:
		saw.Kind = sim.SawRefused
	case cutShort:
		saw.Kind = sim.SawReset
	default:
		if s.env.now < t.until {
			return nil // it has just been sent, and nothing will come in time
		}
		saw.Kind = sim.SawTimeOut
		if t.phase == onTheWay {
			s.orphan(what)
		}
	}
	s.hangUp(connName(s.names[s.who], what.Conn))
	return s.observe(thread, saw)
}

// send lets a thread's command leave, unless it has.
func (s *scene) send(thread int) {
	t, what := &s.client.threads[thread], s.pending(thread)
	if t.phase != idle {
		return
	}
	t.phase, t.until = onTheWay, s.env.now+s.config.Timeout
	switch n := s.nodes.list[s.env.nodes[what.Node]]; {
	case s.client.isCut(what.Node):
		t.phase = lost
	case n.Down:
		t.phase = refused
	case n.Broken(connName(s.names[s.who], what.Conn)):
		t.phase = cutShort
	default:
		t.life = n.Life
	}
}

// cut lets nothing through between the client and a node from now on.
func (s *scene) cut(node int) {
	s.client.cut |= 1 << node
	for id := range s.client.threads {
		what, t := s.pending(id), &s.client.threads[id]
		if at := s.phase(*t, what, &s.env); what.Saw == sim.SawReply && what.Node == node && (at == onTheWay || at == answered) {
			t.phase, t.reply, t.life = lost, "", 0
		}
	}
	s.env.late = slices.DeleteFunc(s.env.late, func(l lateRequest) bool { return l.client == s.who && l.what.Node == node })
}

// nodeIndex is the inverse of sim.NodeName.
func nodeIndex(name string) int { return int(name[1] - '1') }

// arrive lets a thread's command reach its node, unless it has or cannot.
func (s *scene) arrive(thread int) error {
	s.send(thread)
	t := &s.client.threads[thread]
	if s.phase(*t, s.pending(thread), &s.env) != onTheWay {
		return nil
	}
	raw, err := s.execute(thread, s.pending(thread))
	if err != nil {
		return err
	}
	t.phase, t.reply = answered, raw
	return nil
}

func (s *scene) execute(thread int, what *sim.Pending) (raw string, err error) {
	done, err := s.parts.execute(s.env.nodes[what.Node], s.who, what, s.env.now)
	if err != nil {
		return "", err
	}
	s.env.nodes[what.Node] = done.node
	for i, x := range done.done {
		raw += string(x.Raw)
		s.emit(thread, history.Event{
			Kind: history.Apply, Node: sim.NodeName(what.Node), Cmds: what.Units[i], Reply: x.Reply, Changes: x.Changes,
		})
	}
	return raw, nil
}

// late lets the oldest request of the client that nobody waits for arrive.
func (s *scene) late() error {
	i := slices.IndexFunc(s.env.late, func(l lateRequest) bool { return l.client == s.who })
	what := s.env.late[i].what
	s.env.late = slices.Delete(s.env.late, i, i+1)
	_, err := s.execute(0, &what)
	s.hangUp(connName(s.names[s.who], what.Conn))
	return err
}

// observe moves the client on in its trie.
func (s *scene) observe(thread int, o sim.Observation) error {
	l := s.learners[s.who]
	told, err := l.after(s.client.node, thread, o)
	if err != nil {
		return err
	}
	node := l.class(told)
	before := len(s.client.threads)
	s.client.node = node
	n := &l.nodes[node]
	s.events = append(s.events, l.nodes[told].events...)
	if n.dead {
		s.die()
		return nil
	}
	if n.done {
		s.client = clientState{done: true}
		s.hangUp(s.names[s.who] + "/")
		return nil
	}
	s.client.threads[thread] = threadState{}
	for len(s.client.threads) < len(n.threads) {
		s.client.threads = append(s.client.threads, threadState{})
	}
	for i := range n.threads {
		// A sleep begins when its thread comes to it.
		if (i == thread || i >= before) && n.threads[i].Saw == sim.SawNothing && n.threads[i].By > 0 && n.threads[i].Sleeps {
			s.client.threads[i].until = s.env.now + n.threads[i].By
		}
	}
	return nil
}

func (s *scene) die() {
	for i, t := range s.client.threads {
		if what := s.pending(i); what.Saw == sim.SawReply && s.phase(t, what, &s.env) == onTheWay {
			s.orphan(what)
		}
	}
	s.client = clientState{dead: true}
	s.hangUp(s.names[s.who] + "/")
}

// orphan leaves a request on its way without anybody who waits for it. The
// order among clients makes no difference, so it is the clients'.
func (s *scene) orphan(what *sim.Pending) {
	s.env.late = append(s.env.late, lateRequest{s.who, *what})
	slices.SortStableFunc(s.env.late, func(a, b lateRequest) int { return a.client - b.client })
}

// hangUp lets the nodes forget the connections whose names begin so, except
// one over which a late request may still arrive.
func (s *scene) hangUp(prefix string) {
	for i, id := range s.env.nodes {
		state := s.nodes.list[id]
		if len(state.Watches) == 0 {
			continue
		}
		s.env.nodes[i] = s.node(state.Forget(func(conn string) bool {
			return strings.HasPrefix(conn, prefix) && !slices.ContainsFunc(s.env.late, func(l lateRequest) bool {
				return connName(s.names[l.client], l.what.Conn) == conn
			})
		}))
	}
}

// connName is a connection's name in a node's state. It ends in a character
// that no number contains, so that no name is the beginning of another.
func connName(client string, conn int) string { return fmt.Sprintf("%s/%d.", client, conn) }
