package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
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
		again := testkit.Must(scenarios.Replay(t.Context(), o.Played.Config, o.Played.Schedule))(t)
		same := func(other history.Violation) bool { return sameAgain(h, v, again.History, other) }
		happens := slices.ContainsFunc(again.Violations, same)
		if longer := o.Asks.ID == "if-lease"; longer { // for one client, which no schedule says
			happens = slices.ContainsFunc(o.Violations, func(other history.Violation) bool { return sameAgain(h, v, o.Played, other) })
		}
		if kept := o.Came.ID == "then-kept" || o.Came.ID == "then-another" || o.Came.ID == "then-recovers" || o.Came.ID == "then-woken"; kept == happens {
			t.Errorf("%s: %s, %s, but it is violated: %t", id, o.Asks.ID, o.Came.ID, happens)
		}
		checkOthers(t, id, h, v, o)
	}
	if len(asked) != len(a.Causes) || len(a.IfOnly) != len(a.Causes)-pairs+len(a.Remedies) {
		t.Errorf("%s: %d causes and %d remedies, and %d are asked about", id, len(a.Causes), len(a.Remedies), len(a.IfOnly))
	}
}

// checkBegins: up to its first cause it is the run.
func checkBegins(t *testing.T, id string, h history.History, a explain.Account, o explain.IfOnly) {
	t.Helper()
	c := a.Causes[slices.Min(o.Causes)]
	first := c.Action
	if from, late := sentAt(h, c.Action); late {
		first = from
	}
	if c.Kind == explain.Lease || first == 0 {
		return
	}
	for i := range o.Ends[first-1] {
		if was, is := h.Events[i], o.Played.Events[i]; was.Kind != is.Kind || was.Client != is.Client || was.Reply != is.Reply || was.At != is.At {
			t.Errorf("%s: %s begins otherwise at event %d: %+v, not %+v", id, o.Asks.ID, i, is, was)
			return
		}
	}
}

// checkOthers: whoever violates the invariant in that run, or another one that the run
// itself keeps, is named.
func checkOthers(t *testing.T, id string, h history.History, v history.Violation, o explain.IfOnly) {
	t.Helper()
	mine := history.Check(h)
	var others, brought []string
	for _, u := range o.Violations {
		switch kept := !slices.ContainsFunc(mine, func(w history.Violation) bool { return w.Invariant == u.Invariant }); {
		case u.Invariant == v.Invariant && u.Client != v.Client:
			others = append(others, u.Client)
		case u.Invariant != v.Invariant && kept:
			brought = append(brought, u.Client+" "+u.Invariant)
		}
	}
	if o.Came.ID == "then-kept" && len(others) > 0 || o.Came.ID == "then-another" && !slices.Contains(others, o.Came.Facts.Other) {
		t.Errorf("%s: %s: %s %q, and others violate it: %v", id, o.Asks.ID, o.Came.ID, o.Came.Facts.Other, others)
	}
	b := o.Brings.Facts
	if (o.Brings.ID != "") != (len(brought) > 0) || o.Brings.ID != "" && !slices.Contains(brought, b.Client+" "+b.Invariant) {
		t.Errorf("%s: %s brings %+v, and %v are new", id, o.Asks.ID, b, brought)
	}
	if o.Remedy >= 0 && len(brought) > 0 {
		t.Errorf("%s: a remedy brings %v", id, brought)
	}
}
