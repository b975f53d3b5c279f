package explore

import (
	"os"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

func subjectOf(t testing.TB, id string) sim.Subject {
	t.Helper()
	info, ok := strategies.Find(id)
	if !ok {
		t.Fatalf("no lock %q", id)
	}
	return sim.Subject{New: info.New, Nodes: info.Nodes, Polls: info.Polls}
}

func TestTable(t *testing.T) {
	if os.Getenv("TABLE") == "" {
		t.Skip()
	}
	for _, info := range strategies.Catalogue {
		if only := os.Getenv("ONLY"); only != "" && only != info.ID {
			continue
		}
		for _, h := range Hazards {
			start := time.Now()
			h.Bounds.States = 3000000
			r, err := Explore(h.Config(info.ID, "A", "B"), subjectOf(t, info.ID), h.Bounds)
			if err != nil {
				t.Fatal(info.ID, h.ID, err)
			}
			line := ""
			for _, f := range r.Found {
				line += " " + f.Violation.Invariant + "=" + string(rune('0'+len(f.Schedule)/10)) + string(rune('0'+len(f.Schedule)%10))
			}
			t.Logf("%-20s %-14s states %5d trans %5d depth %2d complete %t runs %d %d %v %s", info.ID, h.ID, r.States, r.Transitions, r.Depth, r.Complete, r.ClientRuns, r.NodeRuns, time.Since(start).Round(time.Millisecond), line)
		}
	}
}

var _ = history.Tick
