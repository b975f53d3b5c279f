package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// checkIfOnly: whatever may be wondered was played to the end, begins as the run
// did, and what is said of it is so: a replay that shares nothing with it says the
// same.
func checkIfOnly(t *testing.T, id string, h history.History, v history.Violation, a explain.Account) {
	t.Helper()
	asked, pairs := map[int]int{}, 0
	for _, o := range a.IfOnly {
		for _, c := range o.Causes {
			asked[c]++
		}
		if len(o.Causes) > 1 {
			pairs++
		}
		if len(o.Ends) != len(h.Schedule) || !slices.IsSorted(o.Ends) || o.Ends[len(o.Ends)-1] != len(o.Played.Events) {
			t.Errorf("%s %s: %d actions end at %v of %d events", id, o.Asks.ID, len(h.Schedule), o.Ends, len(o.Played.Events))
		}
		if o.Remedy < 0 {
			checkBegins(t, id, h, a, o)
		}
		if o.Played.Schedule.String() == h.Schedule.String() && o.Played.Config.String() == h.Config.String() && o.Asks.ID != "if-lease" {
			t.Errorf("%s: %s, and it is the same run", id, o.Asks.ID)
		}
		again, err := scenarios.Replay(t.Context(), o.Played.Config, o.Played.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		same := func(other history.Violation) bool { return other.Invariant == v.Invariant && other.Client == v.Client }
		happens := slices.ContainsFunc(again.Violations, same)
		if longer := o.Asks.ID == "if-lease"; longer { // for one client, which no schedule says
			happens = slices.ContainsFunc(o.Violations, same)
		}
		if kept := o.Came.ID == "then-kept" || o.Came.ID == "then-recovers"; kept == happens {
			t.Errorf("%s: %s, %s, but it is violated: %t", id, o.Asks.ID, o.Came.ID, happens)
		}
	}
	if len(asked) != len(a.Causes) || len(a.IfOnly) != len(a.Causes)-pairs+len(a.Remedies) {
		t.Errorf("%s: %d causes and %d remedies, and %d are asked about", id, len(a.Causes), len(a.Remedies), len(a.IfOnly))
	}
}

// checkBegins: up to its first cause it is the run.
func checkBegins(t *testing.T, id string, h history.History, a explain.Account, o explain.IfOnly) {
	t.Helper()
	c := a.Causes[slices.Min(o.Causes)]
	if c.Kind == explain.Lease || c.Action == 0 {
		return
	}
	for i := range o.Ends[c.Action-1] {
		if was, is := h.Events[i], o.Played.Events[i]; was.Kind != is.Kind || was.Client != is.Client || was.Reply != is.Reply || was.At != is.At {
			t.Errorf("%s: %s begins otherwise at event %d: %+v, not %+v", id, o.Asks.ID, i, is, was)
			return
		}
	}
}
