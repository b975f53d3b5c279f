package cli

import (
	"bytes"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestToldOnce: what crash violates as contention does is told under contention, on each face, in the text and in
// SARIF with one schedule, and it counts for the verdict. What is crash's own is told too.
func TestToldOnce(t *testing.T) {
	found := func(invariant, same, token string, faults int) trial.Found {
		return trial.Found{Invariant: invariant, Says: "says " + token, Same: same, Faults: faults, Steps: 4 - faults, Token: token}
	}
	allowed := found(history.StaleWrite, "", "t-allowed", 0)
	allowed.Allowed = "a lease ends when its time is over, and its holder may still be at work"
	all := []tried{{
		Lock:  &trial.Lock{ID: "l", Listed: trial.Listed{Test: "TestL"}},
		suite: &trial.Suite{Package: &trial.Package{Path: "p"}, Code: &trial.Code{}},
		reports: []*trial.Report{
			{Hazard: "contention", Verdict: explore.Violated, States: 1, Found: []trial.Found{found(history.PhantomHold, "", "t-first", 0)}},
			{Hazard: "crash", Verdict: explore.Violated, States: 2, Found: []trial.Found{
				found(history.PhantomHold, "contention", "t-again", 0), found(history.LockRecovers, "", "t-own", 1), allowed,
			}},
			{Hazard: "hang", Verdict: explore.Violated, States: 3, Found: []trial.Found{found(history.PhantomHold, "contention", "t-again", 0)}},
		},
	}}
	var out bytes.Buffer
	a := newApp(nil, &out, &out)
	a.book = prose.Load("en")
	a.printTried(all[0])
	testkit.OK(t, a.out.Flush())
	text := out.String()
	sarif := string(testkit.Must(a.sarif(all))(t))
	for where, said := range map[string]string{"the text": text, "SARIF": sarif} {
		if strings.Count(said, "--token t-first") != 1 || strings.Count(said, "--token t-own") != 1 || strings.Contains(said, "t-again") {
			t.Errorf("%s: %s", where, said)
		}
	}
	for _, line := range []string{
		"contention  VIOLATED  1 states  phantom-hold (0 faults, 4 actions)",
		"crash       VIOLATED  2 states  phantom-hold, the same as under contention; lock-recovers (1 fault, 3 actions); allowed: stale-write",
		"hang        VIOLATED  3 states  phantom-hold, the same as under contention",
		"phantom-hold is violated under crash, hang, too.",
		"crash: allowed: 1 invariant (stale-write), since a lease ends when its time is over, and its holder may still be at work; one schedule: t-allowed",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	for _, message := range []string{`message="phantom-hold"`, `message="phantom-hold, the same as under contention, lock-recovers"`, `message="phantom-hold, the same as under contention"`} {
		if xml := string(testkit.Must(junit(all))(t)); !strings.Contains(xml, message) || strings.Contains(xml, "t-again") {
			t.Errorf("no %s in\n%s", message, xml)
		}
	}
	if got := len(problemsOf(all)); got != 1 || worstOf(all, anyFound) != all[0].reports[0] {
		t.Errorf("%d problems: %v", got, problemsOf(all))
	}
}

// TestFoundCell: a cell in which an invariant is violated twice, and one of that is allowed, says so of that one.
func TestFoundCell(t *testing.T) {
	v := history.Violation{Invariant: history.PhantomHold}
	r := &trial.Report{
		Found:    []trial.Found{{Invariant: history.PhantomHold}, {Invariant: history.PhantomHold, Allowed: "it may"}},
		Explored: explore.Report{Hazard: "overrun", Found: []explore.Found{{Violation: v}, {Violation: v, Allowed: "it may"}}},
	}
	if c := foundCell("mine", r); c.Config.Strategy != "mine" || c.Found[0].Allowed != "" || c.Found[1].Allowed != "it may" || c.Worst() == nil {
		t.Errorf("%+v", c)
	}
}
