package sim

import (
	"errors"
	"fmt"
	"testing"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A fakeFair runs by numbers: each round has so many steps, and somebody acquires
// in the round of that number, from 1.
type fakeFair struct {
	now      history.Millis
	steps    int
	acquires int
	err      error
	idle     bool
	every    history.Millis // time makes a difference so often; 0 is never
	pass     error
	rounds   int
	passed   int
}

func (f *fakeFair) Round() (int, bool, error) {
	f.rounds++
	return f.steps, f.rounds == f.acquires, f.err
}
func (f *fakeFair) Idle() bool                   { return f.idle }
func (f *fakeFair) Now() history.Millis          { return f.now }
func (f *fakeFair) Next() (history.Millis, bool) { return f.now + f.every, f.every > 0 }

func (f *fakeFair) Pass(to history.Millis) error {
	f.passed++
	f.now = to
	return f.pass
}

// TestRecover: for how long a recovery is waited for, and what ends it.
func TestRecover(t *testing.T) {
	for _, test := range []struct {
		name string
		fair fakeFair
		want string // acquired, error, rounds, times that time passed, the time
	}{
		{"at once", fakeFair{now: 7, acquires: 1}, "true <nil>, 1 0 7"},
		{"nobody ever, and time does not matter", fakeFair{idle: true}, "false <nil>, 1 0 0"},
		{"after 20 leases", fakeFair{now: 5, idle: true, every: 100, acquires: 21}, "true <nil>, 21 20 2005"},
		{"later than that", fakeFair{now: 5, idle: true, every: 100, acquires: 22}, "false <nil>, 21 21 2105"},
		{"busy for 50 rounds", fakeFair{steps: 1, every: 30, acquires: 51}, "true <nil>, 51 0 0"},
		{"busy for more", fakeFair{steps: 1, every: 30, acquires: 52}, "true <nil>, 52 1 30"},
		{"busy for ever, and time does not matter", fakeFair{steps: 1}, "false <nil>, 1051 21 2100"},
		{"busy beyond the bound", fakeFair{steps: 1000, every: 1}, "false not decided, 21 0 0"},
		{"busy up to the bound", fakeFair{steps: 1000, every: 1, acquires: 20}, "true <nil>, 20 0 0"},
		{"an error", fakeFair{err: errFake}, "false went wrong, 1 0 0"},
		{"an error as time passes", fakeFair{idle: true, every: 9, pass: errFake}, "false went wrong, 1 1 9"},
		{"the end of time", fakeFair{idle: true, every: 9, pass: fmt.Errorf("late: %w", ErrEndOfTime)}, "false not decided, 1 1 9"},
	} {
		f := test.fair
		acquired, err := Recover(&f, 100)
		text := fmt.Sprint(err)
		switch {
		case errors.Is(err, ErrUndecided):
			text = "not decided"
		case errors.Is(err, errFake):
			text = "went wrong"
		}
		if got := fmt.Sprintf("%t %s, %d %d %d", acquired, text, f.rounds, f.passed, f.now); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestOrphaned: where nobody has done anything, no action is to blame.
func TestOrphaned(t *testing.T) {
	c := history.Default()
	for s, seq := range map[*history.Schedule]int{{}: -1, {{Verb: history.Tick}}: 0} {
		v := Orphaned(c, *s, lang.New("it is stuck"))
		if v.Seq != seq || v.Invariant != history.LockRecovers || v.Key != c.Key() || v.Detail.String() != "it is stuck" {
			t.Errorf("%v: %+v", *s, v)
		}
	}
}
