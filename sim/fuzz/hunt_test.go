package fuzz

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A ground is the world of a hazard for a lock.
type ground struct {
	lock, hazard string
	clients      int
	rounds       int
}

func (g ground) hunt(t testing.TB, ctx context.Context, o Options) explore.Report {
	t.Helper()
	h, ok := explore.FindHazard(g.hazard)
	if !ok {
		t.Fatalf("no hazard %q", g.hazard)
	}
	o.BugDepth, o.Seed = cmp.Or(o.BugDepth, 3), max(1, o.Seed)
	r, err := Hunt(ctx, g.config(t, h), simtest.Subject(t, g.lock), h.Bounds, o)
	if err != nil {
		t.Fatal(g, err)
	}
	return r
}

func (g ground) config(t testing.TB, h explore.Hazard) history.Config {
	c := h.Config(lockOf(t, g.lock), []string{"A", "B", "C", "D"}[:g.clients]...)
	c.Rounds = g.rounds
	return c
}

// large is a world with too many states for a quick exploration.
var large = ground{"set-del", "overrun", 3, 2}

// TestHuntFinds: a hunt finds the violations. Each counterexample plays
// within the bounds and violates the invariant with its last action.
func TestHuntFinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ground
		runs int
		want []string
	}{
		{large, 100, []string{history.ForeignRelease, history.MutualExclusion, history.PhantomHold}},
		{ground{"setnx", "crash", 2, 1}, 50, []string{history.LockRecovers}},
		{ground{"watchdog-naive", "overrun", 2, 1}, 300, []string{history.MutualExclusion}},
		{ground{"getset-timestamp", "client-clock", 3, 1}, 100, []string{history.MutualExclusion}},
		{ground{"set-lua", "reentry", 2, 1}, 1, []string{history.SelfDeadlock}},
	}
	for _, tt := range testkit.Some(t, tests, 4, 2) {
		r := tt.hunt(t, t.Context(), Options{Runs: tt.runs, Jobs: 2})
		if v, _ := r.Verdict(); v != explore.Violated {
			t.Errorf("%v: %s", tt.ground, v)
		}
		for _, id := range tt.want {
			if !slices.ContainsFunc(r.Found, func(f explore.Found) bool { return f.Violation.Invariant == id }) {
				t.Errorf("%v: no %s within %d runs", tt.ground, id, tt.runs)
			}
		}
		for i := range r.Found {
			playable(t, &r, simtest.Subject(t, tt.lock), &r.Found[i])
		}
	}
}

// TestHuntFindsNothing: a correct lock has no violation, even if an actor is starved, and
// no proof.
func TestHuntFindsNothing(t *testing.T) {
	t.Parallel()
	runs := testkit.Size(t, 20, 5)
	for _, g := range []ground{
		{"set-lua", "contention", 3, 2}, {"set-lua", "crash", 3, 2},
		{"set-get-idempotent", "lost-reply", 3, 1}, // clients retry
		{"watchdog-lua", "contention", 2, 2},
	} {
		r := g.hunt(t, t.Context(), Options{BugDepth: 4, Runs: runs, Jobs: 2})
		if v, why := r.Verdict(); len(r.Found) > 0 || v != explore.Inconclusive || why.String() != "ended by the limit on runs" || r.Hunt.Runs != runs {
			t.Errorf("%v: %s, %s, %v", g, v, why, r.Found)
		}
	}
}

// TestHuntTwice: the report does not depend on Jobs, but on the seed.
func TestHuntTwice(t *testing.T) {
	t.Parallel()
	for _, g := range testkit.Some(t, []ground{{"fenced", "late-request", 3, 1}, large}, 1, 1) {
		o := Options{Runs: testkit.Size(t, 24, 8), Jobs: 1}
		one := g.hunt(t, t.Context(), o)
		o.Jobs = 4
		if four := g.hunt(t, t.Context(), o); !reflect.DeepEqual(one, four) {
			t.Errorf("%v: by one\n%+v\nby four\n%+v", g, one, four)
		}
		o.Seed = 2
		if other := g.hunt(t, t.Context(), o); one.Transitions == other.Transitions {
			t.Errorf("%v: another seed makes no difference", g)
		}
	}
}

// TestHuntEndsAtTheFirst: with First, it ends soon after the first violation, and is a hunt of
// as many runs.
func TestHuntEndsAtTheFirst(t *testing.T) {
	t.Parallel()
	g := ground{"setnx", "crash", 2, 1}
	o := Options{Runs: 5000, Jobs: 2, First: true}
	first := g.hunt(t, t.Context(), o)
	if first.Limit != explore.FirstViolation || len(first.Found) == 0 || first.Hunt.Runs > 1000 {
		t.Fatalf("%q after %d runs, %v", first.Limit, first.Hunt.Runs, first.Found)
	}
	o.Runs, o.First = first.Hunt.Runs, false
	short := g.hunt(t, t.Context(), o)
	short.Limit, short.Hunt.Asked = first.Limit, first.Hunt.Asked
	if !reflect.DeepEqual(first, short) {
		t.Errorf("to the first\n%+v\nof as many\n%+v", first, short)
	}
}

// TestHuntStops: an interrupt keeps the finished runs from the first on. They
// equal a hunt of as many runs.
func TestHuntStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	enough := testkit.Size(t, 50, 20)
	for _, jobs := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		r := large.hunt(t, ctx, Options{Runs: 10_000, Jobs: jobs, States: 1000, Progress: func(done, _ int) {
			if done == enough {
				cancel()
			}
		}})
		if r.Hunt.Runs < enough || r.Hunt.Runs > enough+jobs || r.Limit != "interrupt" || len(r.Found) == 0 {
			t.Fatalf("%d runs, limit %q, %d found", r.Hunt.Runs, r.Limit, len(r.Found))
		}
		want := large.hunt(t, t.Context(), Options{Runs: r.Hunt.Runs, Jobs: 1})
		r.Limit, r.Hunt.Asked = want.Limit, want.Hunt.Asked
		if !reflect.DeepEqual(r, want) {
			t.Errorf("%d at a time: interrupted\n%+v\nnot\n%+v", jobs, r, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := large.hunt(t, ctx, Options{Runs: 10})
	if v, why := r.Verdict(); r.Hunt.Runs != 0 || v != explore.Inconclusive || why.String() != "ended by an interrupt" {
		t.Errorf("%d runs, %s, %s", r.Hunt.Runs, v, why)
	}
}

// TestHuntProgress: each run is reported once.
func TestHuntProgress(t *testing.T) {
	var progress []int
	most := 0
	r := large.hunt(t, t.Context(), Options{Runs: 60, Jobs: 3, Progress: func(done, found int) {
		progress = append(progress, done)
		if found < most {
			t.Errorf("%d found after %d", found, most)
		}
		most = found
	}})
	if len(progress) != 60 || !slices.IsSorted(progress) || progress[59] != 60 || most != len(r.Found) {
		t.Errorf("%v, %d found", progress, most)
	}
}

// TestHuntLimits: a bound ends and reports a run that could go on forever.
func TestHuntLimits(t *testing.T) {
	h, _ := explore.FindHazard("contention")
	h.Bounds.Depth = 4
	r, err := Hunt(t.Context(), h.Config(lockOf(t, "setnx"), "A", "B"), simtest.Subject(t, "setnx"), h.Bounds, Options{BugDepth: 3, Runs: 7})
	if err != nil || r.Hunt.Cut != 7 || r.Depth != 4 || r.Hunt.Fewest != 4 || r.Transitions != 28 || r.Counts.Enters == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	r = ground{"setnx", "contention", 2, 1}.hunt(t, t.Context(), Options{Runs: 7})
	if r.Hunt.Cut != 0 || r.Bounds.Depth != defaultSteps || r.Depth <= 4 {
		t.Errorf("%+v", r)
	}
}

// TestTheFirstRunHasNoFault: it is the measuring run.
func TestTheFirstRunHasNoFault(t *testing.T) {
	r := ground{"setnx", "crash", 2, 1}.hunt(t, t.Context(), Options{Runs: 1})
	if r.Counts.Faults[history.Crash] > 0 || r.Counts.Enters == 0 {
		t.Errorf("%+v", r.Counts)
	}
}

func TestHuntOptions(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{BugDepth: 3}, "hunt: 0 runs; use at least 1"},
		{Options{Runs: 1}, "hunt: bugs of depth 0; use at least 1"},
	} {
		_, err := Hunt(t.Context(), history.Default(), simtest.Subject(t, "setnx"), explore.Bounds{}, tt.o)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
	bad := history.Default() // without a strategy
	_, err := Hunt(t.Context(), bad, simtest.Subject(t, "setnx"), explore.Bounds{}, Options{BugDepth: 3, Runs: 1})
	if err == nil || !strings.Contains(err.Error(), "run 0") && !strings.Contains(err.Error(), "world") {
		t.Error(err)
	}
}
