package trial

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
)

// TestReportsOfDelays: two explorations of a hazard are one report, of the worse
// verdict, with all that either found and assumes.
func TestReportsOfDelays(t *testing.T) {
	report := func(v explore.Verdict, assumes string, found ...string) *Report {
		r := &Report{Verdict: v, Reason: "why " + string(v), assumes: lang.Join("; "), States: 2, Transitions: 3}
		for part := range strings.SplitSeq(assumes, "; ") {
			r.assumes = r.assumes.And(part)
		}
		for _, invariant := range found {
			r.Found = append(r.Found, Found{Invariant: invariant, Token: assumes})
		}
		return r
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
		r := test.a.and(test.b)
		var found []string
		for _, f := range r.Found {
			found = append(found, f.Invariant+" by "+f.Token)
		}
		if got := fmt.Sprint(r.Verdict, " ", r.Reason, " ", r.assumes, " ", r.States, " ", r.Transitions, " ", found); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestCells: what is as wide as a Chinese character counts twice.
func TestCells(t *testing.T) {
	for text, want := range map[string]int{"": 0, "lock:stock": 10, "a → b · c": 9, "锁 A": 4, "（锁）": 6, "🔒": 2, "é": 1} {
		if got := cells(text); got != want || got != ansi.StringWidth(text) {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
