package diagram

import (
	"slices"
	"strings"

	"lockstep/internal/explain"
	"lockstep/sim/history"
)

// A Ghost is how much longer a lease would have lasted with a remedy of an account: a
// longer lease, or a lock whose watchdog renews it.
type Ghost struct {
	Lane, Client int            // of the lease that ended too early
	From, To     int            // rows: the end of the lease, and of the ghost
	Lease        history.Millis // the longer lease; 0 for a watchdog
	Known        int            // the row of the violation that the remedy prevents
}

// Saves adds the ghosts of an account of a violation at a row.
func (d *Diagram) Saves(a explain.Account, row int) {
	for _, r := range a.Remedies {
		if r.Lease == 0 && !r.Renewed {
			continue
		}
		for _, b := range d.Bars {
			if b.End == Expired && b.To < row && d.causes(a, b.To) && !d.haunted(b, row) {
				d.Ghosts = append(d.Ghosts, Ghost{Lane: b.Lane, Client: b.Client, From: b.To, To: d.outlasts(b, r.Lease, row), Lease: r.Lease, Known: row})
			}
		}
	}
}

// causes reports whether a cause of an account is at a row.
func (d *Diagram) causes(a explain.Account, row int) bool {
	return slices.ContainsFunc(a.Why, func(s explain.Sentence) bool { return s.Seq >= 0 && d.Run.RowOf(s.Seq) == row })
}

// haunted reports whether a lease has a ghost for the violation at a row.
func (d *Diagram) haunted(b Bar, row int) bool {
	return slices.ContainsFunc(d.Ghosts, func(g Ghost) bool { return g.Lane == b.Lane && g.From == b.To && g.Known == row })
}

// outlasts returns the row at which a longer lease would have ended, up to a last one: its
// owner releases it, or its time is over (a key is there at its deadline still). A watchdog's, 0, has no such time.
func (d *Diagram) outlasts(b Bar, lease history.Millis, last int) int {
	h := &d.Run.History
	began := b.From
	for _, c := range b.Changes {
		if c.Renews {
			began = c.Row
		}
	}
	deadline, owner, node := d.Run.Time(began)+lease, h.Config.Clients[b.Client-1], d.Run.Lanes[b.Lane].Name
	releases := map[int]bool{} // by the number of the operation
	for _, e := range h.Events {
		if e.Kind == history.Invoke && e.Op == history.OpRelease && e.Client == owner {
			releases[e.Call] = true
		}
		row := d.Run.RowOf(e.Seq)
		switch {
		case row <= b.To:
		case row >= last:
			return last
		case e.Kind == history.Apply && e.Node == node && releases[e.During] && !strings.HasPrefix(e.Reply, "(error)"):
			return row
		case lease > 0 && d.Run.Time(row) > deadline:
			return row
		}
	}
	return last
}
