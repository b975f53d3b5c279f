package pages

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// canned is a matrix whose cells are known: all but those of its last two
// locks. Then it ends with an error, or goes on until it is stopped.
func canned(t testing.TB, err error) *Matrix {
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
	m.Compute = func(ctx context.Context, report func(...explore.Report)) error {
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
func cannedCells(t testing.TB, m *Matrix) []explore.Report {
	t.Helper()
	bounds := explore.Bounds{Budget: 1, Faults: []history.Action{{Verb: history.Crash}}, Ticks: 4, Depth: 100, States: 100_000}
	kinds := []explore.Report{
		{Counts: everything(), States: 58, Transitions: 94},
		{States: 106, Transitions: 208, Found: found(t, "setnx", "A*2 A.crash", history.LockRecovers)},
		{States: 1148, Transitions: 1922, Limit: "states", Found: found(t, "set-del", "A*4 B tick B*3 A B",
			history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate)},
		{States: 50, Transitions: 70}, // vacuous: nothing happened
		{Limit: "states", States: 100_000, Transitions: 345_678},
	}
	var cells []explore.Report
	for i, lock := range m.Locks[:len(m.Locks)-2] {
		for j, hazard := range m.Hazards {
			r := kinds[(i+j)%len(kinds)]
			r.Hazard, r.Config, r.Bounds = hazard, configOf(t, lock), bounds
			cells = append(cells, r)
		}
	}
	return cells
}

// everything is the counts of a search in which everything happened.
func everything() explore.Counts {
	c := explore.Counts{Enters: 1, Refused: 1, Failed: 1, Expired: 1, Nested: 1, Scripts: 1, Clocks: 1, Leaps: 1, Faults: map[history.Verb]int{}}
	for _, h := range explore.Hazards() {
		for _, f := range h.Bounds.Faults {
			c.Faults[f.Verb]++
		}
	}
	return c
}

func configOf(t testing.TB, lock string) history.Config {
	t.Helper()
	c := testkit.Must(history.ParseConfig("strategy=" + lock + " clients=A,B"))(t)
	return c
}

// found is what the explorer might have found. The last of several is not
// known to be shortest.
func found(t testing.TB, lock, schedule string, invariants ...string) []explore.Found {
	t.Helper()
	s := testkit.Must(history.ParseSchedule(schedule))(t)
	r := testkit.Must(replays.get(lock+" "+schedule, func() (*scenarios.Result, error) { return scenarios.Replay(t.Context(), configOf(t, lock), s) }))(t)
	var out []explore.Found
	for i, id := range invariants {
		at := slices.IndexFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == id })
		if at < 0 {
			t.Fatalf("%s does not break %s of %s", schedule, id, lock)
		}
		out = append(out, explore.Found{Violation: r.Violations[at], Schedule: s, Shortest: i == 0})
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
func opened(t testing.TB, o Options, w, h int) *Shell {
	t.Helper()
	o.Matrix = canned(t, nil)
	m := start(t, o, w, h)
	deliver(m, (len(o.Matrix.Locks)-2)*len(o.Matrix.Hazards))
	return m
}
