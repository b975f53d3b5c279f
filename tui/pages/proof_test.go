package pages

import (
	"context"
	"errors"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestSlowExplorer: what the explorer says comes when it comes, also after
// giving up, and an error or a limit does not pass for a proof.
func TestSlowExplorer(t *testing.T) {
	answer := make(chan Proof)
	var broken error
	o := Options{Explorer: func(ctx context.Context, l *scenarios.Level) (Proof, error) {
		select {
		case p := <-answer:
			return p, broken
		case <-ctx.Done():
			return Proof{}, ctx.Err()
		}
	}}
	for _, c := range []struct {
		proof Proof
		err   error
		want  string
	}{
		{Proof{Schedule: history.Schedule{{Verb: history.Step, Client: "A"}}}, nil, "the 1 move of a shortest solution"},
		{Proof{States: 7, Limit: "states"}, nil, "Not proven: 7 states without the goal, then the limit on states."},
		{Proof{}, errors.New("no more room"), "ERROR: no more room"},
	} {
		broken = c.err
		m := start(t, o, 80, 24)
		press(m, "b")
		cmd := m.Update(keyMsg("enter"))
		both, ok := cmd().(Batch)
		if !ok || len(both) != 2 {
			t.Fatalf("a level asks for %v", both)
		}
		drain(m, both[0])
		press(m, "x", "y")
		wantText(t, m, "The explorer is still searching.")
		answer <- c.proof
		drain(m, both[1])
		wantText(t, m, c.want)
		wantGame(t, m, 0, len(c.proof.Schedule), 1)
	}
}

// TestGiveUpAndLeave: what the explorer finds while the learner is elsewhere
// is there when the level is opened again.
func TestGiveUpAndLeave(t *testing.T) {
	answer := make(chan Proof, 1)
	o := Options{Explorer: func(context.Context, *scenarios.Level) (Proof, error) { return <-answer, nil }}
	m := start(t, o, 80, 24)
	press(m, "b")
	cmd := m.Update(keyMsg("enter"))
	both, ok := cmd().(Batch)
	if !ok {
		t.Fatal("a level asks for nothing")
	}
	drain(m, both[0])
	press(m, "x", "y", "esc")
	answer <- Proof{Schedule: history.Schedule{{Verb: history.Step, Client: "A"}}, Shortest: true}
	drain(m, both[1])
	if at(m) != "levels" {
		t.Fatalf("the proof leads to %s", at(m))
	}
	press(m, "enter")
	wantGame(t, m, 0, 1, 1)
	wantText(t, m, "the 1 move of a shortest solution")
}
