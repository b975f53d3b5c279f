package explain_test

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestSaidOfRuns holds sentences to runs in which others were wrong. %q is no sentence of
// the explanation.
func TestSaidOfRuns(t *testing.T) {
	b := prose.Load("en")
	for _, c := range []struct{ about, story, violation, says, not string }{
		{"B acquires at the very end", "world strategy=set-del clients=A,B ttl=5s; run A until=in-critical; advance expiry; run B until=acquired",
			"phantom-hold A", "B acquired at 5.001s, while A still thought that it held the lock.", "no other client acquired"},
		{"A crashes, and does not leave", "world strategy=set-del clients=A,B ttl=5s; run A until=after:read; advance 6s; run B until=after:read; crash A; run B",
			"mutual-exclusion B", "until A crashed.", "until A left"},
		{"the last write is B's, not C's", "world strategy=set-lua clients=A,B,C,D ttl=5s stock=9; run A until=after:read; advance expiry; run D; run B until=in-critical; advance expiry; run C until=after:write; run B until=after:write; run A until=after:write",
			"stale-write A", "8 replaces stock = 6, which B had written at 10.002s.", "which C had written"},
		{"B has left, and works no more", "world strategy=set-lua clients=A,B ttl=5s stock=2; run A until=in-critical; advance expiry; run B; run A",
			"", "", "works with that"},
		{"A never learned that it acquired", "world strategy=getset-timestamp clients=C,A,B ttl=5s; run C until=acquired; advance 6s; run A until=before:GETSET; send A; advance 1s; run A; run B until=acquired; late A",
			"phantom-hold B", "B acquired at 7s and still thinks that it holds the lock.", "B and A both thought"},
		{"neither did B", "world strategy=set-del clients=A,B ttl=5s; run B until=after:leave; send B; advance 1s; run B; advance expiry; run A until=before:SET; lose reply A; late B; run A",
			"foreign-release B", "At 5.001s B's DEL", "while A still thought"},
		{"B acquires at 6s, and is served at 7s", "world strategy=set-del clients=A,B ttl=5s; run A until=after:read; advance 6s; run B until=in-critical; advance 1s; run B until=after:read; advance 1s; run A until=after:write",
			"stale-write A", "the resource had already served B at 7s, which acquired later.", "later (at"},
		{"without A, B acquires and need not ask again", "world strategy=multi-setnx-expire clients=A,B ttl=5s wait=20s poll=3s; run A until=in-critical; advance 1s; run B until=refused; run B until=refused",
			"overwritten-lease B", "this violation would not have happened.", "violated it all the same"},
		{"without the eviction, C does", "world strategy=set-del clients=A,B,C ttl=5s stock=3; run A until=after:read; evict r1; run B until=after:read; advance 6s; run C until=after:read",
			"mutual-exclusion B", "this violation would not have happened.", "happened later"},
	} {
		text := ""
		for _, command := range strings.Split(c.story, "; ") {
			text += command + "\n----\n\n"
		}
		s, err := scenarios.Parse("said.txt", "said", text)
		r := played(t, s, err)
		if slices.ContainsFunc(r.Beats, func(b scenarios.Beat) bool { return b.Missed || b.Skipped }) {
			t.Errorf("%s: a moment did not come", c.about)
		}
		found := false
		for _, v := range r.Violations {
			check(t, c.about, r.History, v)
			if c.violation != "" && v.Invariant+" "+v.Client != c.violation {
				continue
			}
			said := told(t, b, r.History, v)
			found = found || strings.Contains(said, c.says)
			if strings.Contains(said, c.not) {
				t.Errorf("%s: %q in\n%s", c.about, c.not, said)
			}
		}
		if !found {
			t.Errorf("%s: nothing says %q", c.about, c.says)
		}
	}
}

// told is an explanation, whole.
func told(t *testing.T, b *prose.Book, h history.History, v history.Violation) string {
	t.Helper()
	a := testkit.Must(scenarios.Explain(t.Context(), h, v))(t)
	lines := []string{a.Happened.Text(b), a.Cost.Text(b)}
	for _, s := range slices.Concat(a.Why, a.Code, a.Saved) {
		lines = append(lines, s.Text(b))
	}
	for _, id := range a.Rests() {
		lines = append(lines, b.Gap(id, v.Client))
	}
	return strings.Join(lines, "\n")
}
