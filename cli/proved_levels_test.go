//go:build !race

package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// tried are the hazards that a learner can try, with the time that may pass.
var tried = []struct {
	hazard string
	moves  []history.Verb
	times  int
}{
	{"contention", nil, 0},
	{"crash", []history.Verb{history.Crash}, 0},
	{"overrun", nil, 2},
	{"client-clock", []history.Verb{history.Jump}, 0},
	{"lost-reply", []history.Verb{history.LoseReply}, 0},
	{"reentry", nil, 0},
	{"node-restart", []history.Verb{history.Wipe}, 0},
	{"eviction", []history.Verb{history.Evict}, 0},
}

// telling are the invariants, that which tells most first.
var telling = []string{
	history.LostUpdate, history.LockRecovers, history.SelfDeadlock, history.Leak, history.ForeignRelease, history.ForeignRenewal,
	history.OverwrittenLease, history.StaleWrite, history.MutualExclusion, history.PhantomHold,
}

const provedFile = "../scenarios/proved_levels.toml"

// provedLevels explores every lock under every hazard that is tried and writes
// what came of it as levels.
func provedLevels(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Written by the explorer: LOCKSTEP_LEVELS=write go test ./cli -run TestProvedLevels\n")
	for _, info := range strategies.Catalogue {
		subject, err := scenarios.SubjectOf(info.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range tried {
			h, ok := explore.FindHazard(tr.hazard)
			if !ok {
				t.Fatalf("no hazard %s", tr.hazard)
			}
			c := h.Config(explore.Lock{ID: info.ID, Subject: subject}, "A", "B")
			c.Work = 0
			l := scenarios.Level{ID: info.ID + "/" + tr.hazard, Config: c, Moves: tr.moves, Times: tr.times, Faults: min(1, len(tr.moves))}
			par, ok := 0, false
			l.Goal, par, ok = hardest(t, &l, tr.hazard)
			if !ok {
				continue // nothing is proved, or nothing of the kind ever happened
			}
			world := strings.TrimPrefix(strings.TrimPrefix(c.String(), "strategy="+info.ID), " ")
			fmt.Fprintf(&b, "\n[[level]]\nid = %q\nlock = %q\nworld = %q\ngoal = %q\n", l.ID, info.ID, world, l.Goal)
			if l.Faults > 0 {
				fmt.Fprintf(&b, "moves = [%q]\nfaults = 1\n", tr.moves[0])
			}
			fmt.Fprintf(&b, "times = %d\npar = %d\n", tr.times, par)
		}
	}
	return b.String()
}

// hardest finds the goal of a level and its par: 0 if nothing is violated at all.
func hardest(t *testing.T, l *scenarios.Level, hazard string) (goal string, par int, ok bool) {
	r, err := exploreLevel(t.Context(), l)
	if err != nil {
		t.Fatalf("%s: %v", l.ID, err)
	}
	r.Hazard = hazard
	if v, _ := r.Verdict(); v == explore.Vacuous || v == explore.Inconclusive {
		return "", 0, false
	}
	for _, goal := range telling {
		i := slices.IndexFunc(r.Found, func(f explore.Found) bool { return f.Violation.Invariant == goal })
		if i >= 0 && r.Found[i].Shortest {
			return goal, len(r.Found[i].Schedule), true
		}
	}
	return history.MutualExclusion, 0, len(r.Found) == 0
}

// TestProvedLevels: the levels of the table are what the explorer finds.
func TestProvedLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("it explores every lock")
	}
	want := provedLevels(t)
	if os.Getenv("LOCKSTEP_LEVELS") == "write" {
		if err := os.WriteFile(provedFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(provedFile)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(got), "\n\n"), strings.Split(want, "\n\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || strings.TrimSpace(a[i]) != strings.TrimSpace(b[i]) {
			t.Fatalf("level %d of %s is stale; LOCKSTEP_LEVELS=write writes it anew", i, provedFile)
		}
	}
}
