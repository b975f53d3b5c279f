package tui

import (
	"slices"
	"strings"

	"lockstep/scenarios/prose"
)

// A Stuck is code of a lock that runs and does not come to where the world
// waits for it.
type Stuck struct {
	Lock   string
	Client string // with its background task, if it is one that is stuck
	Op     string // the operation that it is inside of; "" for none
	Action int    // of the schedule, since which it runs; 0 where there is none
	Place  string // the line of its own code; "" if it is not known
}

// stuckNews says that code is stuck, or that this is over.
type stuckNews struct {
	stuck Stuck
	over  bool
}

// isStuck keeps who is stuck, the longest first.
func (m *model) isStuck(msg stuckNews) {
	if !msg.over {
		m.stuck = append(m.stuck, msg.stuck)
	} else if i := slices.Index(m.stuck, msg.stuck); i >= 0 {
		m.stuck = slices.Delete(m.stuck, i, i+1)
	}
}

// running says that something is under way, and what keeps it, if something does.
func (m *model) running() string {
	if len(m.stuck) == 0 {
		return m.book.Text("running")
	}
	s := m.stuck[0]
	who := []string{s.Lock + ":", s.Client}
	if s.Op != "" {
		who = append(who, s.Op)
	}
	facts := prose.TextFacts{What: strings.Join(who, " "), N: s.Action, Said: s.Place}
	return m.theme.Glyphs.Bad + " " + m.book.Fill("stuck", facts)
}
