package explore

import (
	"fmt"
	"testing"

	"lockstep/sim"
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

func lengths(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += fmt.Sprintf(" %s=%d", f.Violation.Invariant, len(f.Schedule))
	}
	return text
}
