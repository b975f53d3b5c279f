package explore

import (
	"os"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/strategies"
)

func TestBruteTable(t *testing.T) {
	if os.Getenv("BRUTE") == "" {
		t.Skip()
	}
	for _, info := range strategies.Catalogue {
		if only := os.Getenv("ONLY"); only != "" && only != info.ID {
			continue
		}
		for _, h := range Hazards {
			start := time.Now()
			h.Bounds.States = 3000
			s := sim.Subject{New: info.New, Nodes: info.Nodes, Polls: info.Polls}
			r, err := Brute(h.Config(info.ID, "A", "B"), s, h.Bounds)
			if err != nil {
				t.Fatal(info.ID, h.ID, err)
			}
			line := ""
			for _, f := range r.Found {
				line += " " + f.Violation.Invariant + "=" + string(rune('0'+len(f.Schedule)/10)) + string(rune('0'+len(f.Schedule)%10))
			}
			t.Logf("%-20s %-14s states %5d trans %5d depth %2d complete %t %v %s", info.ID, h.ID, r.States, r.Transitions, r.Depth, r.Complete, time.Since(start).Round(time.Millisecond), line)
		}
	}
}
