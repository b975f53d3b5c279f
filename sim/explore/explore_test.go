package explore

import (
	"fmt"
	"os"
	"testing"

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

func lockOf(t testing.TB, id string) Lock {
	t.Helper()
	return Lock{id, subjectOf(t, id)}
}

func mustConfig(t testing.TB, clients ...string) history.Config {
	t.Helper()
	h, _ := FindHazard("contention")
	return h.Config(lockOf(t, "set-lua"), clients...)
}

func lengths(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += fmt.Sprintf(" %s=%d", f.Violation.Invariant, len(f.Schedule))
	}
	return text
}

// TestAgainstBrute compares the explorer with the replay of real worlds, state
// by state, for every lock and hazard that is small enough.
func TestAgainstBrute(t *testing.T) {
	most := 250
	if os.Getenv("LOCKSTEP_RUNS") != "" {
		most = 3000
	}
	compared := 0
	for _, info := range strategies.Catalogue {
		for _, h := range Hazards {
			h.Bounds.States, h.Bounds.Depth = most, 60
			config, subject := h.Config(lockOf(t, info.ID), "A", "B"), subjectOf(t, info.ID)
			fast, err := Explore(t.Context(), config, subject, h.Bounds, Options{Jobs: 2})
			if err != nil {
				t.Fatal(info.ID, h.ID, err)
			}
			if fast.Limit != "" {
				continue
			}
			compared++
			slow, err := bruteForce(config, subject, h.Bounds)
			if err != nil {
				t.Fatal(info.ID, h.ID, err)
			}
			if lengths(fast) != lengths(slow) {
				t.Errorf("%s, %s: found%s; the replay found%s", info.ID, h.ID, lengths(fast), lengths(slow))
			}
			if info.ID == "watch-del" || info.ID == "watchdog-naive" {
				// World.Canonical is finer than it need be for a WATCH.
				if fast.States > slow.States {
					t.Errorf("%s, %s: %d states; the replay has %d", info.ID, h.ID, fast.States, slow.States)
				}
				continue
			}
			if fast.States != slow.States || fast.Transitions != slow.Transitions || fast.Depth != slow.Depth {
				t.Errorf("%s, %s: %d states, %d transitions, depth %d; the replay has %d, %d, %d", info.ID, h.ID,
					fast.States, fast.Transitions, fast.Depth, slow.States, slow.Transitions, slow.Depth)
			}
		}
	}
	t.Logf("%d worlds compared", compared)
}
