package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/sim/history"
)

// Canonical writes the world's state as text: two worlds of the same
// configuration with the same text have the same future. It holds the time,
// what each client has observed so far (its code is a function of that), what
// the nodes store, and the messages on their way.
//
// It is finer than it need be in two places: a connection that WATCHes carries
// the number of writes that its node has executed since, and a command whose
// connection broke how far it had come.
func (w *World) Canonical() string {
	var b strings.Builder
	s := &w.state
	fmt.Fprintf(&b, "now %d\nresource %d %d %d\n", s.Now, s.Resource.Value, s.Resource.Version, s.Resource.Fence)
	for i := range w.nodes {
		w.nodes[i].(*node).canonical(&b)
	}
	for i, name := range w.parties.Names {
		w.canonical(&b, i)
		for _, a := range s.Abandoned {
			if a.Client == i {
				conn := connName(name, a.Want.Conn)
				fmt.Fprintf(&b, "late %s %q %s\n", NodeName(a.Want.Node), commands(a.Want.Units), w.nodes[a.Want.Node].(*node).remembered(conn))
			}
		}
	}
	return b.String()
}

func (n *node) canonical(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", n.name)
	for _, k := range n.keys {
		fmt.Fprintf(b, " %q %s %q %d\n", k.Key, k.State.Type, k.State.Value, k.State.Deadline)
	}
	fmt.Fprintf(b, " scripts %q\n", slices.Sorted(maps.Keys(n.scripts)))
	if n.health != (Health{}) || len(n.behind) > 0 {
		fmt.Fprintf(b, " %+v %q\n", n.health, n.behind)
	}
}

// remembered describes what the node keeps for a connection, WATCH and MULTI,
// or that it has ended unnoticed; "" for nothing.
func (n *node) remembered(conn string) string {
	if n.gone[conn] {
		return "gone"
	}
	p := n.peers[conn]
	if p == nil || !p.remembers() {
		return ""
	}
	return fmt.Sprintf("%q %d %t %q %t", p.watch, n.writes-p.since, p.multi, p.queue, p.broken)
}

func (w *World) canonical(b *strings.Builder, i int) {
	name, c, p := w.parties.Names[i], &w.state.Clients[i], w.programs[i]
	switch {
	case c.Dead:
		fmt.Fprintf(b, "%s dead\n", name)
		return
	case c.Done: // what it was and what its clock shows makes no difference
		fmt.Fprintf(b, "%s done\n", name)
		return
	}
	fmt.Fprintf(b, "%s hung %t clock %v %d cut %v\n%s", name, c.Hung, c.Clock.read(w.state.Now), c.Clock.rate(), c.Cut, p.seen)
	for id := range c.Strands {
		t, want := &c.Strands[id], &p.wants[id]
		m := w.state.attempt(history.Action{Verb: history.Step, Client: name, Thread: id}, &w.parties)
		until, waits := m.due(t, want)
		if id == 0 && c.Hung || !waits {
			until, waits = 0, false
		}
		fmt.Fprintf(b, " thread %d %t %d", id, waits, until)
		if want.Saw == SawReply {
			switch phase := m.phase(t, want); phase {
			case Idle:
			case Lost: // what it would have been makes no difference
				b.WriteString(" lost")
			case Declined, CutShort:
				fmt.Fprintf(b, " %d, after %d, sent in life %d, waited until %d", phase, t.Phase, t.Life, t.Until)
				if t.Phase == Answered {
					fmt.Fprintf(b, ", %q", t.Reply)
				}
			default:
				fmt.Fprintf(b, " sent %d, %q, waits until %d", phase, t.Reply, t.Until)
			}
		}
		b.WriteByte('\n')
	}
	for _, conn := range p.conns {
		if remembered := w.nodes[conn.node].(*node).remembered(connName(name, conn.id)); remembered != "" {
			fmt.Fprintf(b, " conn %d %s\n", conn.id, remembered)
		}
	}
}

func commands(units []Unit) []string {
	var texts []string
	for _, u := range units {
		texts = append(texts, history.CommandText(u.Cmds))
	}
	return texts
}
