package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/sim"
)

// Canonical returns the node's keys, scripts and faults as text. Equal text
// means the same future, except for connections; see Remembers.
func (n *Embedded) Canonical() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", n.name)
	for _, k := range n.keys {
		fmt.Fprintf(&b, " %q %s %q %d %d\n", k.Key, k.State.Type, k.State.Value, k.State.Deadline, k.Rest)
	}
	fmt.Fprintf(&b, " scripts %q\n", slices.Sorted(maps.Keys(n.scripts)))
	if n.health != (sim.Health{}) || len(n.behind) > 0 {
		fmt.Fprintf(&b, " %+v %q\n", n.health, n.behind)
	}
	return b.String()
}

// Remembers describes what the node keeps for the connections with a prefix:
// WATCH, MULTI, channels, messages that their clients have not read, commands
// that wait, and ends that their clients have not noticed. It returns "" for
// nothing.
func (n *Embedded) Remembers(prefix string) string {
	var b strings.Builder
	for _, conn := range slices.Sorted(maps.Keys(n.gone)) {
		if strings.HasPrefix(conn, prefix) {
			fmt.Fprintf(&b, " conn %s gone\n", conn)
		}
	}
	for _, conn := range slices.Sorted(maps.Keys(n.peers)) {
		if p := n.peers[conn]; strings.HasPrefix(conn, prefix) && p.remembers() && !n.gone[conn] {
			since := 0
			if len(p.watch) > 0 {
				since = n.writes - p.since
			}
			fmt.Fprintf(&b, " conn %s %q %d %t %q %t\n", conn, p.watch, since, p.multi, p.queue, p.broken)
			if p.listened || len(p.unread) > 0 {
				fmt.Fprintf(&b, "  listens %t %q %q %q\n", p.listened, p.channels, p.patterns, p.unread)
			}
		}
	}
	for place, held := range n.blocked {
		if strings.HasPrefix(held.Conn, prefix) {
			fmt.Fprintf(&b, " waits %d %s %q %d %d\n", place, held.Conn, held.Cmd, held.Deadline, held.Rest)
		}
	}
	return b.String()
}
