package trial

import (
	"strings"
	"testing"

	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

func TestLockID(t *testing.T) {
	long := "Test" + strings.Repeat("A", 60)
	for _, test := range []struct {
		name string
		nth  int
		want string
	}{
		{"TestLock", 1, "testlock"},
		{"TestLock", 2, "testlock-2"},
		{"TestLibraries/redislock-0.9.4", 1, "testlibraries-redislock-0-9-4"},
	} {
		if got := LockID(test.name, test.nth); got != test.want {
			t.Errorf("%s, %d: %s, want %s", test.name, test.nth, got, test.want)
		}
	}
	ids := map[string]string{}
	for _, name := range []string{"Test_Lock", "Test/Lock", "Test锁Lock", long, long + "B", long + "/C"} {
		for nth := 1; nth <= 2; nth++ {
			id := LockID(name, nth)
			if was := ids[id]; was != "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("%s, %d: %s, as %s", name, nth, id, was)
			}
			ids[id] = name
		}
	}
}

// TestWorld: a hazard's world is as the plan wants it, whoever asks for it.
func TestWorld(t *testing.T) {
	h, _ := explore.FindHazard("overrun")
	plan := Usual()
	plan.Rounds, plan.Retries, plan.TTL, plan.Nodes = 2, 3, 1500, 4
	c := h.Config(explore.Lock{ID: "own", Subject: program.Subject{Nodes: plan.Nodes, World: plan.World}}, "A")
	if c.Rounds != 2 || c.Retries != 3 || c.TTL != 1500 || c.Nodes != 4 {
		t.Errorf("%+v", c)
	}
	usual := Usual()
	if got, want := h.Config(explore.Lock{ID: "own", Subject: program.Subject{Nodes: 1, World: usual.World}}), h.Config(explore.Lock{ID: "own", Subject: program.Subject{Nodes: 1}}); got.String() != want.String() {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestVerdictOn: what the contract allows does not fail a lock, and hides neither
// another violation nor that a limit ended the search.
func TestVerdictOn(t *testing.T) {
	found := func(invariants ...string) (list []explore.Found) {
		for _, id := range invariants {
			list = append(list, explore.Found{Violation: history.Violation{Invariant: id}})
		}
		return list
	}
	tr := &Trial{Plan: Plan{Contract: []Allowance{{Invariant: history.PhantomHold, Hazard: "overrun", Why: "a lease ends", Lost: history.Loss{By: "expire"}}}}}
	counts := explore.Counts{Leaps: 1}
	for _, c := range []struct {
		about  string
		report explore.Report
		want   explore.Verdict
	}{
		{"allowed", explore.Report{Hazard: "overrun", Counts: counts, Found: found(history.PhantomHold)}, explore.Holds},
		{"allowed beside another", explore.Report{Hazard: "overrun", Found: found(history.PhantomHold, history.Leak)}, explore.Violated},
		{"allowed elsewhere", explore.Report{Hazard: "crash", Found: found(history.PhantomHold)}, explore.Violated},
		{"another", explore.Report{Hazard: "overrun", Found: found(history.Leak)}, explore.Violated},
		{"cut", explore.Report{Hazard: "overrun", Counts: counts, Limit: "states"}, explore.Inconclusive},
		{"allowed and cut", explore.Report{Hazard: "overrun", Counts: counts, Limit: "states", Found: found(history.PhantomHold)}, explore.Inconclusive},
		{"vacuous", explore.Report{Hazard: "overrun"}, explore.Vacuous},
	} {
		for i := range c.report.Found {
			f := &c.report.Found[i]
			f.Violation.Lost = []history.Loss{{By: string(history.Expire)}}
			f.Allowed = tr.Plan.allowed(f.Violation, c.report.Hazard)
		}
		if got, _ := verdictOn(c.report); got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
}
