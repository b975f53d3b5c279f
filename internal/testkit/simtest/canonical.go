package simtest

import (
	"fmt"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
	"lockstep/sim/world"
)

// A recorder keeps what a client has observed.
type recorder struct {
	sim.Program
	seen []byte
}

// Observe is sim.Program's.
func (r *recorder) Observe(at sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	r.seen = o.Append(append(r.seen, byte('0'+strand)))
	return r.Program.Observe(at, strand, o)
}

// Record keeps what the clients of a world observe, for Canonical.
func Record(w *world.World) {
	_, p := w.Parts()
	for i := range p.Programs {
		p.Programs[i] = &recorder{Program: p.Programs[i]}
	}
}

// Canonical returns the world's state as text. Two worlds of one configuration
// with the same text have the same future. The text holds the time, all
// observations of each client (its code is a function of them), the nodes and
// the messages in transit. Record has to be called before the first action.
//
// It distinguishes more than necessary in one place: a command with a broken
// connection includes its progress.
func Canonical(w *world.World) string {
	var b strings.Builder
	s, p := w.Parts()
	fmt.Fprintf(&b, "now %d\nresource %d %d %d\n", s.Now, s.Resource.Value, s.Resource.Version, s.Resource.Fence)
	for _, n := range p.Servers {
		fmt.Fprintf(&b, "%s\n", n.(server.Holder).At(0).Append(nil))
	}
	for i, name := range p.Names {
		canonical(&b, s, p, i)
		for _, a := range s.Abandoned {
			if a.Client == i {
				fmt.Fprintf(&b, "late %s %q %s\n", history.NodeName(a.Want.Node), commands(a.Want.Units), sim.ConnName(name, a.Want.Conn))
				if a.Want.Of > 0 {
					fmt.Fprintf(&b, "of goroutine %d, strand %d\n", a.Want.Of, a.Strand)
				}
			}
		}
	}
	return b.String()
}

func canonical(b *strings.Builder, s *sim.State, p *sim.Parties, i int) {
	name, c, wants := p.Names[i], &s.Clients[i], p.Programs[i].Wants(0)
	switch {
	case c.Dead:
		fmt.Fprintf(b, "%s dead\n", name)
		return
	case c.Done: // its past and its clock make no difference
		fmt.Fprintf(b, "%s done\n", name)
		return
	}
	fmt.Fprintf(b, "%s hung %t paused %t clock %+v cut %v stamp %d\n%s", name, c.Hung, c.Paused, c.Clock, c.Cut, c.Stamp, p.Programs[i].(*recorder).seen)
	for id := range c.Strands {
		t := &c.Strands[id]
		until, waits := s.DueOf(i, id, p)
		fmt.Fprintf(b, " strand %d %t %d", id, waits, until)
		if wants[id].Saw == sim.SawPush && t.Phase == sim.CutShort {
			b.WriteString(" cut short")
		}
		if wants[id].Saw == sim.SawReply {
			switch phase := s.PhaseOf(i, id, p); phase {
			case sim.Idle:
			case sim.Lost: // its progress makes no difference
				b.WriteString(" lost")
			case sim.Declined, sim.CutShort:
				fmt.Fprintf(b, " %d, after %d, sent in life %d, waited until %d", phase, t.Phase, t.Life, t.Until)
				if t.Phase == sim.Answered {
					fmt.Fprintf(b, ", %q", t.Reply)
				}
			default:
				fmt.Fprintf(b, " sent %d, %q %d, waits until %d", phase, t.Reply, t.Stamp, t.Until)
			}
		}
		b.WriteByte('\n')
	}
}

func commands(units []sim.Unit) []string {
	var texts []string
	for _, u := range units {
		texts = append(texts, history.CommandText(u.Cmds))
	}
	return texts
}
