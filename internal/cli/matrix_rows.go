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
	hazards []explore.Hazard
	locks   []string
	signs   map[string]string // by lock and hazard
	widest  int               // name of a lock
}

func newRows(locks []explore.Lock, hazards []explore.Hazard) *rows {
	r := &rows{hazards: hazards, signs: map[string]string{}}
	for _, l := range locks {
		r.widest = max(r.widest, len(l.ID))
	}
	return r
}

func (r *rows) decide(c *explore.Cell) {
	if !slices.Contains(r.locks, c.Lock) {
		r.locks = append(r.locks, c.Lock)
	}
	v, _ := c.Verdict()
	sign := matrix.Sign(v)
	if v == explore.Violated {
		sign = history.Short(c.Found[0].Violation.Invariant)
	}
	r.signs[c.Lock+" "+c.Hazard] = sign
}

func (r *rows) lines() (lines []string) {
	for _, lock := range r.locks {
		var b strings.Builder
		fmt.Fprintf(&b, "%-*s", r.widest, lock)
		for _, h := range r.hazards {
			sign, decided := r.signs[lock+" "+h.ID]
			if !decided {
				sign = "."
			}
			fmt.Fprintf(&b, " %-2s", sign)
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

// inOrder returns cells, lock by lock, with the locks in another order.
func inOrder(cells []explore.Cell, locks []explore.Lock) (ordered []explore.Cell) {
	for _, l := range locks {
		for _, c := range cells {
			if c.Lock == l.ID {
				ordered = append(ordered, c)
			}
		}
	}
	return ordered
}
