package world

import (
	"fmt"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
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
		b.WriteString(w.nodes[i].(*server.Embedded).Canonical())
	}
	for i, name := range w.parties.Names {
		w.canonical(&b, i)
		for _, a := range s.Abandoned {
			if a.Client == i {
				conn := sim.ConnName(name, a.Want.Conn)
				fmt.Fprintf(&b, "late %s %q\n%s", sim.NodeName(a.Want.Node), commands(a.Want.Units), w.nodes[a.Want.Node].(*server.Embedded).Remembers(conn))
			}
		}
	}
	return b.String()
}

func (w *World) canonical(b *strings.Builder, i int) {
	name, c, wants := w.parties.Names[i], &w.state.Clients[i], w.wants(i)
	switch {
	case c.Dead:
		fmt.Fprintf(b, "%s dead\n", name)
		return
	case c.Done: // what it was and what its clock shows makes no difference
		fmt.Fprintf(b, "%s done\n", name)
		return
	}
	fmt.Fprintf(b, "%s hung %t clock %+v cut %v\n%s", name, c.Hung, c.Clock, c.Cut, w.programs[i].Seen())
	for id := range c.Strands {
		t := &c.Strands[id]
		until, waits := w.state.DueOf(i, id, &w.parties)
		fmt.Fprintf(b, " strand %d %t %d", id, waits, until)
		if wants[id].Saw == sim.SawReply {
			switch phase := w.state.PhaseOf(i, id, &w.parties); phase {
			case sim.Idle:
			case sim.Lost: // what it would have been makes no difference
				b.WriteString(" lost")
			case sim.Declined, sim.CutShort:
				fmt.Fprintf(b, " %d, after %d, sent in life %d, waited until %d", phase, t.Phase, t.Life, t.Until)
				if t.Phase == sim.Answered {
					fmt.Fprintf(b, ", %q", t.Reply)
				}
			default:
				fmt.Fprintf(b, " sent %d, %q, waits until %d", phase, t.Reply, t.Until)
			}
		}
		b.WriteByte('\n')
	}
	for _, n := range w.nodes {
		b.WriteString(n.(*server.Embedded).Remembers(name + "/"))
	}
}

func commands(units []sim.Unit) []string {
	var texts []string
	for _, u := range units {
		texts = append(texts, history.CommandText(u.Cmds))
	}
	return texts
}
