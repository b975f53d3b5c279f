package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

const polls = "world strategy=setnx clients=A,B wait=277h poll=1ms\n----\n\nrun A until=acquired\n----\n"

// TestBoundOfAStory plays stories that would not come to an end in reasonable
// time and memory: each ends with an error at the line that went too far.
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

// TestLongTokens plays the longest schedules that a token can hold.
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
