package fuzz

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestShrunkIsShortest: in small worlds, a hunt's counterexamples are as short
// as the explorer's, without its help.
func TestShrunkIsShortest(t *testing.T) {
	t.Parallel()
	for _, g := range testkit.Some(t, []ground{
		{"set-del", "overrun", 2, 1}, {"setnx", "crash", 2, 1}, {"setnx", "lost-reply", 2, 1},
		{"setnx-expire", "crash", 2, 1}, {"reentrant-misprint", "contention", 2, 1},
	}, 3, 1) {
		want := explored(t, lockOf(t, g.lock), g.hazard)
		r := g.hunt(t, t.Context(), Options{Runs: 350, Jobs: 2})
		if lengths(r.Found) != lengths(want.Found) {
			t.Errorf("%v: found%s; the explorer found%s", g, lengths(r.Found), lengths(want.Found))
		}
		for i := range r.Found {
			if r.Found[i].Shortest {
				t.Errorf("%v: shortest, without proof", g)
			}
		}
	}
}

// TestShrink removes detours and unnecessary faults, and renames clients.
func TestShrink(t *testing.T) {
	for _, tt := range []struct {
		ground
		invariant, long, want string
	}{
		{ground{"set-del", "overrun", 3, 2}, history.MutualExclusion, "C B A C*2 B A tick B*4 A*4", "A*3 tick B*3"},
		{ground{"setnx", "crash", 3, 1}, history.LockRecovers, "C A B*3 A C*2 B.crash C*3 A*2", "A*2 A.crash"},
		{ground{"setnx", "lost-reply", 2, 1}, history.LockRecovers, "B A A.lose-reply B*2 tick B", "A A.lose-reply"},
	} {
		h, _ := explore.FindHazard(tt.hazard)
		h.Bounds.Depth = defaultSteps
		long := testkit.Must(history.ParseSchedule(tt.long))(t)
		config, subject := tt.config(t, h), simtest.Subject(t, tt.lock)
		f, err := setup{t.Context(), config, subject, h.Bounds, nil}.violate(long, of(tt.invariant))
		if err != nil || f == nil {
			t.Fatalf("%s does not violate %s: %v", tt.long, tt.invariant, err)
		}
		got, err := setup{t.Context(), config, subject, h.Bounds, nil}.shrink(*f)
		if err != nil || got.Schedule.String() != tt.want || got.Violation.Invariant != tt.invariant {
			t.Errorf("%s shrinks to %s, want %s (%v)", f.Schedule, got.Schedule, tt.want, err)
		}
	}
}

// TestCheaper: faults come before actions, actions before switches.
func TestCheaper(t *testing.T) {
	b := explore.Bounds{Faults: []history.Action{{Verb: history.Crash}}}
	inOrder := []string{"A B*3", "A*2 B*2", "B*2 A*2", "A B A*2", "A*9", "A.crash", "A A.crash", "A.crash B.crash"}
	for i := 1; i < len(inOrder); i++ {
		s := testkit.Must(history.ParseSchedule(inOrder[i-1]))(t)
		more := testkit.Must(history.ParseSchedule(inOrder[i]))(t)
		if !cheaper(b, s, more) || cheaper(b, more, s) || cheaper(b, s, s) {
			t.Errorf("%s against %s", inOrder[i-1], inOrder[i])
		}
	}
}

// TestViolate: actors play in order with whatever action they have then, and
// only the requested invariant counts.
func TestViolate(t *testing.T) {
	for _, tt := range []struct{ lock, hazard, order, invariant, want string }{
		{"getset-timestamp", "overrun", "A*6 tick B*9", history.MutualExclusion, "A*6 +5001 B*7"}, // time leaps there
		{"setnx", "crash", "A*2 A.crash", history.LockRecovers, "A*2 A.crash"},
		{"setnx", "crash", "A*2 A.crash", history.MutualExclusion, ""},
		{"setnx", "crash", "A*2 A.crash B.crash", history.LockRecovers, "A*2 A.crash"}, // only one crash is allowed
	} {
		h, _ := explore.FindHazard(tt.hazard)
		lock := lockOf(t, tt.lock)
		order := testkit.Must(history.ParseSchedule(tt.order))(t)
		got := ""
		f, err := setup{t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, nil}.violate(order, of(tt.invariant))
		if f != nil {
			got = f.Schedule.String()
		}
		if err != nil || got != tt.want {
			t.Errorf("%s, %s: %s violates %s by %q, want %q (%v)", tt.lock, tt.hazard, tt.order, tt.invariant, got, tt.want, err)
		}
	}
}

// TestShrinkGivesUp: a shrinker plays at most its number of candidates, and
// only cheaper ones.
func TestShrinkGivesUp(t *testing.T) {
	h, _ := explore.FindHazard("overrun")
	lock := lockOf(t, "set-del")
	config := h.Config(lock, "A", "B")
	long, _ := history.ParseSchedule("A B A A B tick B*4")
	f, err := setup{t.Context(), config, lock.Subject, h.Bounds, nil}.violate(long, of(history.PhantomHold))
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	s := &shrinker{setup{t.Context(), config, lock.Subject, h.Bounds, nil}, *f, 2}
	if better, err := s.try(f.Schedule); better || err != nil || s.left != 2 {
		t.Errorf("the same again: better %t, %d left, %v", better, s.left, err)
	}
	if _, err := s.move(); err != nil || s.left != 0 {
		t.Errorf("%d left, %v", s.left, err)
	}
	if better, err := s.drop(func(history.Action) bool { return true }); better || err != nil {
		t.Errorf("with none left: better %t, %v", better, err)
	}
}

// TestProveShortestWithoutFaults: counterexamples without faults are proven
// within the length of the longest.
func TestProveShortestWithoutFaults(t *testing.T) {
	r := ground{"set-del", "overrun", 2, 1}.hunt(t, t.Context(), Options{Runs: 60, Jobs: 2, States: 10_000})
	for _, f := range r.Found {
		if !f.Shortest {
			t.Errorf("%s by %s is not proven", f.Violation.Invariant, f.Schedule)
		}
	}
	if len(r.Found) < 3 {
		t.Errorf("only %d found", len(r.Found))
	}
}

// TestProveShortest: Shortest is set only if an exploration proves it; a
// shorter schedule replaces the counterexample.
func TestProveShortest(t *testing.T) {
	t.Parallel()
	g := ground{"getset-timestamp", "client-clock", 2, 1} // its foreign release is hard to shrink
	want := explored(t, lockOf(t, g.lock), g.hazard)
	for _, tt := range testkit.Some(t, []struct{ states, proven int }{{100_000, -1}, {0, 0}, {5, 0}}, 2, 1) {
		r := g.hunt(t, t.Context(), Options{Runs: 700, Jobs: 2, States: tt.states})
		proven := 0
		for i := range r.Found {
			f := &r.Found[i]
			playable(t, &r, simtest.Subject(t, g.lock), f)
			if f.Hit.Runs < 1 || f.Hit.First+f.Hit.Runs > r.Hunt.Runs {
				t.Errorf("%s: in %d runs, from run %d", f.Violation.Invariant, f.Hit.Runs, f.Hit.First)
			}
			if !f.Shortest {
				continue
			}
			proven++
			for j := range want.Found {
				if e := &want.Found[j]; e.Violation.Invariant == f.Violation.Invariant && len(e.Schedule) != len(f.Schedule) {
					t.Errorf("%s in %d steps is said to be shortest; the explorer needs %d", e.Violation.Invariant, len(f.Schedule), len(e.Schedule))
				}
			}
		}
		if tt.proven < 0 {
			tt.proven = len(r.Found)
		}
		if proven != tt.proven || len(r.Found) < 5 {
			t.Errorf("%d states: %d of %d proven shortest, want %d", tt.states, proven, len(r.Found), tt.proven)
		}
	}
}

// TestAShorterOneReplaces: a counterexample that the explorer finds shorter is replaced by
// that one, and the runs that found it still count.
func TestAShorterOneReplaces(t *testing.T) {
	g := ground{"set-del", "overrun", 2, 1}
	h, _ := explore.FindHazard(g.hazard)
	on := setup{t.Context(), g.config(t, h), simtest.Subject(t, g.lock), h.Bounds, nil}
	long := testkit.Must(history.ParseSchedule("B A A B A tick B*4"))(t)
	f := testkit.Must(on.violate(long, of(history.PhantomHold)))(t)
	f.Hit = explore.Hit{Runs: 3, First: 7}
	hunted := &hunt{setup: on, report: explore.Report{Config: on.config, Bounds: on.bounds}}
	want := explored(t, lockOf(t, g.lock), g.hazard)
	testkit.OK(t, hunted.compare(f, want.Found))
	if got := f.Schedule.String(); got != "A*2 tick" || !f.Shortest || f.Hit != (explore.Hit{Runs: 3, First: 7}) {
		t.Errorf("%s: %+v", got, f)
	}
}

// TestMemoryEndsAProof: then the counterexamples are not marked shortest.
func TestMemoryEndsAProof(t *testing.T) {
	h, _ := explore.FindHazard("crash")
	l := lockOf(t, "setnx")
	for memory, want := range map[int]bool{0: true, 1: false} {
		o := Options{BugDepth: 3, Seed: 1, Runs: 50, States: 10_000, Memory: memory}
		r, err := Hunt(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, o)
		if err != nil || len(r.Found) == 0 || r.Found[0].Shortest != want {
			t.Errorf("%d bytes:%s, %v", memory, lengths(r.Found), err)
		}
	}
}

// TestShrinkToTheEnd: a move that helps may also shorten the schedule.
func TestShrinkToTheEnd(t *testing.T) {
	if testkit.Raced {
		t.Skip("takes long with the race detector, and .ci/run runs it without")
	}
	h, _ := explore.FindHazard("overrun")
	lock := lockOf(t, "watchdog-naive")
	config := h.Config(lock, "A", "B", "C")
	config.Rounds = 2
	if _, err := Hunt(t.Context(), config, lock.Subject, h.Bounds, Options{BugDepth: 3, Seed: 1, Runs: 20, Jobs: 2}); err != nil {
		t.Error(err)
	}
}

// of is a counterexample of an invariant.
func of(invariant string) explore.Found {
	return explore.Found{Violation: history.Violation{Invariant: invariant}}
}
