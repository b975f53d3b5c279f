package bubble_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestWatchDrawsNothing: Watch does not change a lock's random numbers.
func TestWatchDrawsNothing(t *testing.T) {
	bubble.Seed()
	steps := func() (string, error) {
		c := history.Default()
		c.Strategy, c.Clients = "draws", []string{"A"}
		w := testkit.Must(world.New(c, program.Subject{Nodes: 1, Start: bubble.Start, New: func(env strategies.Env) strategies.Lock {
			return &busyDraw{env.Redis, env.Key, rand.Text}
		}}))(t)
		defer w.Close()
		for range 2 {
			if err := w.Perform(history.Action{Verb: history.Step, Client: "A"}); err != nil {
				return "", err
			}
		}
		var sent []string
		for _, e := range w.History().Events {
			sent = append(sent, history.CommandText(e.Cmds))
		}
		return strings.Join(sent, "\n"), nil
	}
	unwatched, err := steps()
	if err != nil || !strings.Contains(unwatched, "SET ") {
		t.Fatalf("%v: %s", err, unwatched)
	}
	bubble.Watch()
	if watched, err := steps(); err != nil || watched != unwatched {
		t.Errorf("watched: %v\n%s\nunwatched:\n%s", err, watched, unwatched)
	}
}
