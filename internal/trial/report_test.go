package trial

import (
	"fmt"
	"testing"

	"lockstep/sim/explore"
)

// TestReportsOfDelays: two explorations of a hazard are one report, of the worse
// verdict, with all that either found and assumes.
func TestReportsOfDelays(t *testing.T) {
	report := func(v explore.Verdict, assumes string, found ...string) *Report {
		r := &Report{Verdict: v, Reason: "why " + string(v), Assumptions: assumes, States: 2, Transitions: 3}
		for _, invariant := range found {
			r.Found = append(r.Found, Found{Invariant: invariant, Token: assumes})
		}
		return r
	}
	and := func(a, b *Report, between string) string {
		r := a.and(b, between)
		var found []string
		for _, f := range r.Found {
			found = append(found, f.Invariant+" by "+f.Token)
		}
		return fmt.Sprint(r.Verdict, " ", r.Reason, " ", r.Assumptions, " ", r.States, " ", r.Transitions, " ", found)
	}
	for _, test := range []struct {
		a, b *Report
		want string
	}{
		{nil, report(explore.Holds, "x"), "HOLDS why HOLDS x 2 3 []"},
		{report(explore.Holds, "x; y"), report(explore.Holds, "x; y"), "HOLDS why HOLDS x; y 4 6 []"},
		{report(explore.Holds, "x; yy"), report(explore.Holds, "x; y; z"), "HOLDS why HOLDS x; yy; y; z 4 6 []"},
		{report(explore.Vacuous, "x"), report(explore.Holds, "x"), "HOLDS why HOLDS x 4 6 []"},
		{report(explore.Holds, "x"), report(explore.Vacuous, "x"), "HOLDS why HOLDS x 4 6 []"},
		{report(explore.Holds, "x"), report(explore.Inconclusive, "y"), "INCONCLUSIVE why INCONCLUSIVE x; y 4 6 []"},
		{report(explore.Inconclusive, "x"), report(explore.Violated, "y", "leak"), "VIOLATED why VIOLATED x; y 4 6 [leak by y]"},
		{
			report(explore.Holds, "x", "phantom-hold"), report(explore.Violated, "y", "mutual-exclusion", "phantom-hold", "leak"),
			"VIOLATED why VIOLATED x; y 4 6 [mutual-exclusion by y phantom-hold by x leak by y]",
		},
	} {
		if got := and(test.a, test.b, "; "); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if got, want := and(report(explore.Holds, "x；y"), report(explore.Holds, "x；z"), "；"), "HOLDS why HOLDS x；y；z 4 6 []"; got != want {
		t.Errorf("in Chinese: %s, want %s", got, want)
	}
}
