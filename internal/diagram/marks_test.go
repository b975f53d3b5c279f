package diagram

import (
	"slices"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestMarksAgreeWithTheRun holds the marks of each story against its events and the
// verdicts of a monitor, event by event.
func TestMarksAgreeWithTheRun(t *testing.T) {
	stories := scenarios.Stories()
	seen := map[any]int{}
	for _, story := range stories {
		r := told(t, story)
		d := Of(r)
		wrongs := map[int]bool{} // rows at which a stranger changes a lease wrongly
		for _, b := range d.Bars {
			for _, c := range b.Changes {
				if c.Wrong {
					wrongs[c.Row] = true
				}
			}
		}
		m := history.NewMonitor(r.History.Config, r.History.Nodes)
		lane := func(name string) int {
			return slices.IndexFunc(r.Lanes, func(l lesson.Lane) bool { return l.Name == name })
		}
		for _, e := range r.History.Events {
			found, row := m.Observe(e), r.RowOf(e.Seq)
			broken := map[string]bool{}
			for _, v := range found {
				broken[v.Invariant] = true
				if v.Invariant == history.OverwrittenLease && !wrongs[r.RowOf(v.Causes[0])] {
					t.Errorf("%s: step %d overwrites a lease, and has no mark", story.Name, step(r.RowOf(v.Causes[0])))
				}
			}
			if broken[history.ForeignRenewal] && !wrongs[row] {
				t.Errorf("%s: step %d renews another's lease, and has no mark", story.Name, step(row))
			}
			if e.Node != "" && e.Kind == history.Apply {
				marks := d.Marks(lane(e.Node), row)
				if removed := marks.Ends && marks.Bar.End == Removed; removed != (broken[history.ForeignRelease] || broken[history.EqualTokens]) {
					t.Errorf("%s: step %d removes another's lease: %v, drawn so: %v", story.Name, step(row), broken[history.ForeignRelease], removed)
				}
				if marks.Came == nil || (marks.Came.Effect == Changes) != (len(e.Changes) > 0) {
					t.Errorf("%s: step %d changes %d keys, and comes as %+v", story.Name, step(row), len(e.Changes), marks.Came)
				} else if seen[marks.Came.Effect]++; marks.Came.Effect == Nothing && slices.Contains([]string{"GET", "PTTL"}, e.Cmds[0][0]) {
					t.Errorf("%s: step %d reads, and is drawn as refused", story.Name, step(row))
				}
			}
			if e.Kind == history.Resource && (e.Op == history.WriteOp || e.Op == history.Refuse) {
				want := Writes
				if e.Op == history.Refuse {
					want = Declined
				} else if broken[history.StaleWrite] || broken[history.LostUpdate] {
					want = Damages
				}
				if touch := d.Marks(lane(history.StrandName(e.Client, e.Strand)), row).Touch; touch == nil || touch.Access != want {
					t.Errorf("%s: step %d writes: %+v, want %v", story.Name, step(row), touch, want)
				}
				seen[want]++
			}
			if e.Kind == history.Expire && e.Changes[0].Key == r.History.Config.Key() {
				if marks := d.Marks(lane(e.Node), row); !marks.Ends || marks.Bar.End != Expired {
					t.Errorf("%s: step %d, a lease ends by its time: %+v", story.Name, step(row), marks.Bar)
				}
			}
		}
		for _, c := range d.Crowds {
			if len(c.Lanes) < 2 {
				t.Errorf("%s: a crowd of %v", story.Name, c.Lanes)
			}
		}
	}
	for _, kind := range []any{Changes, Looks, Nothing, Writes, Damages, Declined} {
		if seen[kind] == 0 {
			t.Errorf("no story has a %T %v", kind, kind)
		}
	}
}

// TestTakeOver: who takes over the key of a dead client breaks nothing; who overwrites the
// new owner's does, as is known when it is refused.
func TestTakeOver(t *testing.T) {
	d := Of(find(t, "two_clients_see_the_same_stale_timestamp"))
	var wrong []Change
	for _, b := range d.Bars {
		if b.Kind != Lease {
			continue
		}
		if b.End == Removed || b.End == Lost {
			t.Errorf("a lease ends as if another client did wrong: %+v", b)
		}
		for _, c := range b.Changes {
			if c.Wrong {
				wrong = append(wrong, c)
			}
		}
	}
	if len(wrong) != 1 || wrong[0].By != 3 || wrong[0].Known <= wrong[0].Row {
		t.Fatalf("wrong changes: %+v, want one of C, known later", wrong)
	}
	for _, b := range d.Until(wrong[0].Row).Bars {
		for _, c := range b.Changes {
			if c.Wrong {
				t.Errorf("accused before it is known: %+v", c)
			}
		}
	}
}

// TestCounts: on several nodes each attempt ends with a count, and so does a majority that
// is lost.
func TestCounts(t *testing.T) {
	r := find(t, "a_restarted_node_votes_twice")
	d := Of(r)
	ends := 0
	for _, e := range r.History.Events {
		if e.Op == history.OpAcquire && e.Kind == history.Return {
			ends++
		}
	}
	lost := 0
	for _, c := range d.Counts {
		on := 0
		for _, owner := range r.Rows[c.Row].Now.Owners {
			if int(owner)+1 == c.Client {
				on++
			}
		}
		if c.On != on || c.Of != 5 {
			t.Errorf("step %d: %+v, but the key is its own on %d", step(c.Row), c, on)
		}
		if c.Loses {
			lost++
		}
	}
	if lost != 1 || len(d.Counts)-lost != ends {
		t.Errorf("%d counts, %d of a lost majority, want %d attempts and 1", len(d.Counts), lost, ends)
	}
}
