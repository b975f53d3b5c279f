package pages

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// canned is a matrix whose cells are known: all but those of its last two
// locks. Then it ends with an error, or goes on until it is stopped.
func canned(t *testing.T, err error) *Matrix {
	t.Helper()
	m := &Matrix{
		Locks: []string{
			"setnx", "setnx-expire", "set-del", "set-lua", "weak-token", "reentrant-misprint", "redlock", "fenced", "optimistic-version",
		},
		Hazards: []string{
			"contention", "crash", "overrun", "client-clock", "lost-reply", "late-request", "reentry", "script-flush",
		},
		Jobs: 2,
	}
	cells := cannedCells(t, m)
	m.Compute = func(ctx context.Context, report func(Cell)) error {
		for _, c := range cells {
			report(c)
		}
		if err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	return m
}

// cannedCells have every verdict. What breaks setnx and set-del is real.
func cannedCells(t *testing.T, m *Matrix) []Cell {
	t.Helper()
	kinds := []Cell{
		{Verdict: render.Holds, States: 58, Transitions: 94},
		{Verdict: render.Violated, States: 106, Transitions: 208, Found: found(t, "setnx", "A*2 A.crash", history.LockRecovers)},
		{Verdict: render.Violated, States: 1148, Transitions: 1922, Limit: "states", Found: found(t, "set-del", "A*4 B tick B*3 A B",
			history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate)},
		{Verdict: render.Vacuous, Reason: lang.New("the lock never reads a clock"), States: 50, Transitions: 70},
		{Verdict: render.Inconclusive, Reason: lang.New("ended by the limit on %v", lang.Word("states")), Limit: "states", States: 100_000, Transitions: 345_678},
	}
	var cells []Cell
	for i, lock := range m.Locks[:len(m.Locks)-2] {
		for j, hazard := range m.Hazards {
			c := kinds[(i+j)%len(kinds)]
			c.Lock, c.Hazard = lock, hazard
			c.Config = configOf(t, lock)
			c.Assumptions = lang.Join("; ", c.Config, lang.New("at most %d of: %s", 1, "crash"),
				lang.New("at most %d actions", 100), lang.New("at most %d states", 100_000))
			cells = append(cells, c)
		}
	}
	return cells
}

func configOf(t *testing.T, lock string) history.Config {
	t.Helper()
	c, err := history.ParseConfig("strategy=" + lock + " clients=A,B")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// found is what the explorer might have found. The last of several is not
// known to be shortest.
func found(t *testing.T, lock, schedule string, invariants ...string) []Found {
	t.Helper()
	s, err := history.ParseSchedule(schedule)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenarios.Replay(t.Context(), configOf(t, lock), s)
	if err != nil {
		t.Fatal(err)
	}
	var out []Found
	for i, id := range invariants {
		at := slices.IndexFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == id })
		if at < 0 {
			t.Fatalf("%s does not break %s of %s", schedule, id, lock)
		}
		f := Found{Code: "XX 9", Violation: r.Violations[at], Schedule: s, Shortest: i == 0}
		if strings.Contains(schedule, "crash") {
			f.Code, f.Faults = "LR 3/1", 1
		}
		out = append(out, f)
	}
	return out
}

// deliver opens the matrix and waits for so many messages of it.
func deliver(m *Shell, messages int) {
	cmd := press(m, "m")
	for range messages {
		cmd = m.Update(cmd())
	}
}

// opened is the matrix with all the cells that the canned one has.
func opened(t *testing.T, o Options, w, h int) *Shell {
	t.Helper()
	o.Matrix = canned(t, nil)
	m := start(t, o, w, h)
	deliver(m, (len(o.Matrix.Locks)-2)*len(o.Matrix.Hazards))
	return m
}
