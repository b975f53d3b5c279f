package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/matrix"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// rows are the decided cells of a matrix that is being computed, for the progress: a line for
// each lock in the order in which they were begun, with two letters for each hazard.
type rows struct {
	all, hazards []string
	locks        []string          // with a cell
	signs        map[string]string // by lock and hazard
}

func (r *rows) decide(c *explore.Report) {
	lock := c.Config.Strategy
	if !slices.Contains(r.locks, lock) {
		r.locks = append(r.locks, lock)
	}
	v, _ := c.Verdict()
	sign := matrix.Sign(v)
	if v == explore.Violated {
		sign = history.Short(c.Found[0].Violation.Invariant)
	}
	r.signs[lock+" "+c.Hazard] = sign
}

func (r *rows) lines() (lines []string) {
	widest := 0
	for _, lock := range r.all {
		widest = max(widest, len(lock))
	}
	for _, lock := range r.locks {
		var b strings.Builder
		fmt.Fprintf(&b, "%-*s", widest, lock)
		for _, h := range r.hazards {
			fmt.Fprintf(&b, " %-2s", cmp.Or(r.signs[lock+" "+h], "."))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// computingOrder orders locks for the computation of a matrix: last those on ZooKeeper, which take most
// of its time, so that soon something is seen; and of either kind first the last of the
// catalogue, which have the most states. Begun last, these would leave the short rows to
// idle workers.
func computingOrder(locks []explore.Lock) []explore.Lock {
	locks = slices.Clone(locks)
	slices.Reverse(locks)
	slices.SortStableFunc(locks, func(a, b explore.Lock) int { return cmp.Compare(a.Subject.Server, b.Subject.Server) })
	return locks
}

// inOrder orders cells by their locks.
func inOrder(cells []explore.Report, locks []string) []explore.Report {
	slices.SortStableFunc(cells, func(a, b explore.Report) int {
		return slices.Index(locks, a.Config.Strategy) - slices.Index(locks, b.Config.Strategy)
	})
	return cells
}
