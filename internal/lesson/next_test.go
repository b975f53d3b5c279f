package lesson

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestTheNextLineIsTheOneThatComes: what a lane is said to do next is the line of the command that
// it then sends, in every story; and each access to the resource has a line.
func TestTheNextLineIsTheOneThatComes(t *testing.T) {
	commands, accesses := 0, 0
	for _, s := range testkit.Some(t, scenarios.Stories(), 40, 8) {
		run := Of(testkit.Must(scenarios.Run(t.Context(), s))(t))
		for i, row := range run.Rows[1:] {
			if row.To == 0 || row.Command != nil {
				continue
			}
			e, next, begun := run.History.Events[row.Seq], "", false
			for _, n := range run.History.Next {
				if n.After <= e.Pick && n.Who == row.Who {
					next, begun = n.Source, true
				}
			}
			switch {
			case e.Kind == history.Resource:
				accesses++
				if line, own := run.Lit(i + 1); !own || line != next || line == "" {
					t.Errorf("%s, step %d: %s %s lights %q, and next was %q", s.Name, i+2, row.Who, e.Op, line, next)
				}
			case e.Kind == history.Request:
				commands++
				if !begun || next != row.Source {
					t.Errorf("%s, step %d: %s sends at %s, and next was %q", s.Name, i+2, row.Who, row.Source, next)
				}
			default:
				continue
			}
			if run.Picks(i) == e.Pick && run.Rows[i].Next[row.Who] != next {
				t.Errorf("%s, step %d: next is %q, want %q", s.Name, i+1, run.Rows[i].Next[row.Who], next)
			}
		}
	}
	if commands < 20 || accesses < 20 {
		t.Errorf("%d commands and %d accesses", commands, accesses)
	}
}
