package matrix

import (
	"context"
	"errors"
	"slices"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestLevels: what a level's data says of it is what the explorer finds within
// its rules, and a learner can do what the explorer did.
func TestLevels(t *testing.T) {
	usual := course.Usual()
	proved := scenarios.ProvedLevels()
	levels := append(slices.Clone(usual.Levels), testkit.Some(t, proved, 8, 5)...)
	for _, l := range levels {
		t.Run(l.ID, func(t *testing.T) {
			p, err := Explorer(Limits(1<<30))(t.Context(), &l)
			if err != nil || p.Limit != "" && !p.Shortest {
				t.Fatalf("ended by the limit on %q: %v", p.Limit, err)
			}
			t.Logf("%d states, %d moves: %v", p.States, len(p.Schedule), p.Schedule)
			if (l.Par == 0) != (p.Schedule == nil) || l.Par > 0 && (!p.Shortest || l.Par != len(p.Schedule)) {
				t.Fatalf("par is %d; found is %v, shortest %v", l.Par, p.Schedule, p.Shortest)
			}
			playable(t, &l, p.Schedule)
		})
	}
}

// playable: a learner is offered each move of a level's schedule, and its last one reaches the
// goal, if there is one, without a superfluous one.
func playable(t *testing.T, l *scenarios.Level, s history.Schedule) {
	t.Helper()
	for i, a := range s {
		at := testkit.Must(scenarios.Look(t.Context(), l.Config, s[:i], l))(t)
		if !slices.ContainsFunc(at.Moves, func(m scenarios.Move) bool { return m.Action == a && m.Why.None() }) {
			t.Fatalf("%s: move %d, %v, is not offered: %+v", l.ID, i+1, a, at.Moves)
		}
	}
	at := testkit.Must(scenarios.Look(t.Context(), l.Config, s, l))(t)
	if left, err := scenarios.Superfluous(t.Context(), l.Config, s, l.Target, l); err != nil || len(left) > 0 {
		t.Errorf("%s: of %v, %v could be left out, %v", l.ID, s, left, err)
	}
	if l.Reached(at.Violations) != (l.Par > 0) {
		t.Errorf("%s: the schedule violates %v", l.ID, at.Violations)
	}
}

// TestCause: a level that names a cause is reached by no fewer moves than the explorer
// says, and by more than without the cause. Every schedule is tried, which is slow and
// needs no cleverness.
func TestCause(t *testing.T) {
	usual := course.Usual()
	at := slices.IndexFunc(usual.Levels, func(l scenarios.Level) bool { return l.Because != "" })
	l := usual.Levels[at]
	free := l
	free.Because = ""
	p, err := Explorer(Limits(1<<30))(t.Context(), &free)
	if err != nil || !p.Shortest || len(p.Schedule) >= l.Par {
		t.Errorf("without the cause %v is the shortest, %v, %v", p.Schedule, p.Shortest, err)
	}
	tried := 0
	var try func(s history.Schedule)
	try = func(s history.Schedule) {
		here := testkit.Must(scenarios.Look(t.Context(), l.Config, s, &l))(t)
		if tried++; l.Reached(here.Violations) {
			t.Errorf("%v reaches it too", s)
		}
		if len(s) == l.Par-1 {
			return
		}
		for _, m := range here.Moves {
			if m.Why.None() {
				try(append(slices.Clone(s), m.Action))
			}
		}
	}
	try(nil)
	t.Logf("%d schedules", tried)
}

// TestLevelSearchStops: a search that was interrupted proves nothing.
func TestLevelSearchStops(t *testing.T) {
	usual := course.Usual()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := Explorer(Limits(1<<30))(ctx, &usual.Levels[0]); !errors.Is(err, context.Canceled) && p.Limit == "" {
		t.Errorf("an interrupted search says %+v, %v", p, err)
	}
}
