package scenarios

import (
	"errors"
	"strings"
	"testing"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// TestTimeEnds for whoever lets it pass: a story, a token, a learner.
func TestTimeEnds(t *testing.T) {
	const all = "advance 277777h46m40s\n----\n\n"
	story, err := Parse("x.txt", "x", "# Time.\nworld strategy=setnx clients=A,B\n----\n\n"+strings.Repeat(all, 10))
	if err != nil {
		t.Fatal(err)
	}
	var at *Error
	if _, err := Run(t.Context(), story); !errors.As(err, &at) || at.Line != 8 || !strings.Contains(at.Err.Error(), "time would pass its end: it ends at 277777h46m40s") {
		t.Errorf("a story: %v", err)
	}
	config := history.Default()
	config.Strategy = "setnx"
	end := history.Schedule{{Verb: history.Advance, By: history.MaxTime}}
	if _, err := Replay(t.Context(), config, append(end, end...)); !errors.Is(err, world.ErrNotEnabled) || !strings.Contains(err.Error(), "action 2 of the schedule") {
		t.Errorf("a token: %v", err)
	}
	p, err := Look(t.Context(), config, end, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Moves {
		if m.Action.Verb == history.Advance && !strings.Contains(m.Why.String(), "time would pass its end") {
			t.Errorf("a learner may let more time pass: %+v", m)
		}
	}
}
