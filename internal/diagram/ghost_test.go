package diagram

import (
	"sort"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestGhosts: a ghost lasts as long as the lease does when the remedy is played, or to the
// violation. The remedies' own histories say how long that is.
func TestGhosts(t *testing.T) {
	seen := map[bool]int{} // by whether it is a watchdog's
	for _, name := range []string{
		"del_removes_the_next_holders_lock", "the_lease_ends_between_get_and_del", "lua_cannot_save_slow_work", "a_late_del",
		"a_pause_beats_every_lease", "fencing_refuses_the_stale_write", "a_reentrant_count_outlives_its_lease",
	} {
		run := find(t, name)
		for _, f := range run.Found {
			a := testkit.Must(scenarios.Explain(t.Context(), run.History, f.Violation))(t)
			for _, r := range a.Remedies {
				d, one := Of(run), a
				one.Remedies = []explain.Remedy{r}
				d.Saves(one, f.Row)
				for _, g := range d.Ghosts {
					seen[r.Renewed]++
					if g.Known != f.Row || g.Lease != r.Lease {
						t.Errorf("%s: %+v of a remedy with a lease of %v", name, g, r.Lease)
					}
					if got, want := pickOf(d, g.To), min(released(d, g, r), pickOf(d, f.Row)); got != want {
						t.Errorf("%s: the ghost of %s ends at action %d, want %d", name, run.History.Config.Clients[g.Client-1], got, want)
					}
				}
			}
		}
	}
	if seen[false] < 5 || seen[true] < 1 {
		t.Errorf("%d ghosts of longer leases and %d of watchdogs", seen[false], seen[true])
	}
}

// pickOf returns the action that led to a row.
func pickOf(d *Diagram, row int) int { return d.Run.History.Events[d.Run.Rows[row].From].Pick }

// released returns the action with which a lease ends in the history of a remedy.
func released(d *Diagram, g Ghost, r explain.Remedy) int {
	m := history.NewMonitor(r.Played.Config, r.Played.Nodes)
	owner, node := r.Played.Config.Clients[g.Client-1], d.Run.Lanes[g.Lane].Name
	for i, e := range r.Played.Events {
		m.Observe(e)
		action := sort.SearchInts(r.Ends, i+1)
		if action >= pickOf(d, g.From) && m.Owner(node) != owner {
			return action
		}
	}
	return len(r.Ends)
}

// TestGhostsAreNotAhead: before the violation, nothing tells what would have prevented it.
func TestGhostsAreNotAhead(t *testing.T) {
	run := find(t, "del_removes_the_next_holders_lock")
	f := run.Found[0]
	a := testkit.Must(scenarios.Explain(t.Context(), run.History, f.Violation))(t)
	d := Of(run)
	d.Saves(a, f.Row)
	d.Saves(a, f.Row) // the same once more
	all, at, before, after := len(d.Ghosts), len(d.Until(f.Row).Ghosts), len(d.Until(f.Row-1).Ghosts), len(d.Until(f.Row+1).Ghosts)
	if all != 1 || at != 1 || before != 0 || after != 0 {
		t.Errorf("%d ghosts, %d at the violation, %d before and %d after it", all, at, before, after)
	}
}
