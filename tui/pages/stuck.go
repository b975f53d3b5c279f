package pages

import (
	"slices"
	"strings"
)

// A Stuck is code of a lock that runs and does not reach the seam.
type Stuck struct {
	Lock   string
	Client string // with its background task, if it is one that is stuck
	Op     string // the operation that it is inside of; "" for none
	Action int    // of the schedule, since which it runs; 0 where there is none
	Place  string // the line of its own code; "" if it is not known
}

// isStuck stores the stuck code, the longest first.
func (s *shared) isStuck(msg StuckNews) {
	if !msg.Over {
		s.stuck = append(s.stuck, msg.Stuck)
	} else if i := slices.Index(s.stuck, msg.Stuck); i >= 0 {
		s.stuck = slices.Delete(s.stuck, i, i+1)
	}
}

// running returns that something is under way, and what is stuck, if anything.
func (s *shared) running() string {
	if len(s.stuck) == 0 {
		return s.Text("running")
	}
	one := s.stuck[0]
	who := []string{one.Lock + ":", one.Client}
	if one.Op != "" {
		who = append(who, one.Op)
	}
	with := facts{What: strings.Join(who, " "), N: one.Action, Said: one.Place}
	return s.Glyphs.Bad + " " + s.Fill("stuck", with)
}
