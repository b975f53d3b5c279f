package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

const polls = "world strategy=setnx clients=A,B wait=277h poll=1ms\n----\n\nrun A until=acquired\n----\n"

// TestBoundOfAStory plays stories that would take too much time or memory: each ends
// with an error at the line that went too far.
func TestBoundOfAStory(t *testing.T) {
	testkit.Single(t)
	t.Parallel()
	for name, test := range map[string]struct{ text, at, says string }{
		"runs":    {polls + strings.Repeat("\nrun B for=10s\n----\n", 200), "long.txt:10:1: ", "20000 actions"},
		"checks":  {polls + strings.Repeat("\ncheck\n----\n", 500), "long.txt:364:1: ", "60000 actions"},
		"replays": {polls + strings.Repeat("\nadvance 1s\n----\n", 8000) + strings.Repeat("\nreplay strategy=setnx\n----\n", 50), "long.txt:24016:1: the run", "60000 actions"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse("long.txt", "long", test.text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Run(t.Context(), s)
			var mistake *Error
			if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), test.at) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v; want an error that begins with %q and says %q", err, test.at, test.says)
			}
		})
	}
}

func TestLongTokens(t *testing.T) {
	testkit.Single(t)
	t.Parallel()
	config := history.Default()
	config.Strategy = "setnx"
	long := func(a history.Action, n int) history.Schedule { return slices.Repeat(history.Schedule{a}, n) }
	restart := history.Action{Verb: history.Restart, Node: "r1"}
	_, err := Replay(t.Context(), config, long(restart, history.MaxSchedule))
	if err != nil {
		t.Error(err)
	}
	if _, err = Replay(t.Context(), config, long(restart, history.MaxSchedule+1)); err == nil || !strings.Contains(err.Error(), "20000 actions") {
		t.Errorf("one action more: %v", err)
	}
}

// TestTimeEnds: a story, a token and a learner cannot exceed the longest time.
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
