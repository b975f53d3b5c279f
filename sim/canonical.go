package sim

import (
	"fmt"
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
	fmt.Fprintf(&b, "now %d\nresource %d %d %d\n", w.now, w.resource.Value, w.resource.Version, w.resource.Fence)
	for _, n := range w.nodes {
		fmt.Fprintf(&b, "%s\n", n.name)
		for _, k := range n.keys {
			fmt.Fprintf(&b, " %q %s %q %d\n", k.Key, k.State.Type, k.State.Value, k.State.Deadline)
		}
		scripts := slices.Clone(n.scripts)
		slices.Sort(scripts)
		fmt.Fprintf(&b, " scripts %q\n", scripts)
		if n.Health != (Health{}) || len(n.behind) > 0 {
			fmt.Fprintf(&b, " %+v %q\n", n.Health, n.behind)
		}
	}
	for _, c := range w.clients {
		c.canonical(&b)
		for _, f := range w.flights { // the order among clients makes no difference
			if f.client == c && f.thread.flight != f && f.onTheWay() {
				fmt.Fprintf(&b, "late %s %q %s\n", f.conn.node.name, f.commands(), f.conn.remembered())
			}
		}
	}
	return b.String()
}

func (c *client) canonical(b *strings.Builder) {
	if c.dead {
		fmt.Fprintf(b, "%s dead\n", c.name)
		return
	}
	if c.done() { // what it was and what its clock shows makes no difference
		fmt.Fprintf(b, "%s done\n", c.name)
		return
	}
	fmt.Fprintf(b, "%s hung %t clock %v %d cut %v\n%s", c.name, c.hung, c.clock.read(c.world.now), c.clock.rate, c.cut, c.seen)
	for _, t := range c.threads {
		at, waits := t.due()
		fmt.Fprintf(b, " thread %d %t %d", t.id, waits, at)
		switch f := t.flight; {
		case f == nil:
		case f.failed != "":
			fmt.Fprintf(b, " %s, after %d of %d, %q, waited until %d", f.failed, f.applied, len(f.units), f.replies, f.deadline)
		case f.lost: // what it would have been makes no difference
			b.WriteString(" lost")
		default:
			fmt.Fprintf(b, " sent %d of %d, %q, waits until %d", f.applied, len(f.units), f.replies, f.deadline)
		}
		b.WriteByte('\n')
	}
	for _, conn := range c.conns {
		if conn.gone && conn.failed == nil {
			fmt.Fprintf(b, " conn %d gone\n", conn.id)
		} else if remembered := conn.remembered(); remembered != "" {
			fmt.Fprintf(b, " conn %d %s\n", conn.id, remembered)
		}
	}
}

// done says whether all code of a living client has come to its end.
func (c *client) done() bool {
	return !slices.ContainsFunc(c.threads, func(t *thread) bool { return !t.ended })
}

func (f *flight) commands() []string {
	var texts []string
	for _, u := range f.units[f.applied:] {
		texts = append(texts, history.CommandText(u.cmds))
	}
	return texts
}
