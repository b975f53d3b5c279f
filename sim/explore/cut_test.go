package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// cutInto explores a lock under a hazard in parts, and puts them together.
func cutInto(t *testing.T, lock Lock, h Hazard, clients []string, after, of int) (Report, []Report) {
	t.Helper()
	var parts []Report
	for part := range of {
		parts = append(parts, exploredAs(t, lock, h, clients, Cut{after, part + 1, of}))
	}
	whole, err := Whole(parts)
	if err != nil {
		t.Fatalf("%s, %s, %d parts after %d: %v", lock.ID, h.ID, of, after, err)
	}
	return whole, parts
}

func exploredAs(t *testing.T, lock Lock, h Hazard, clients []string, c Cut) Report {
	t.Helper()
	r, err := Explore(t.Context(), h.Config(lock, clients...), lock.Subject, h.Bounds, Options{Jobs: 2, Cut: c})
	if err != nil {
		t.Fatal(err)
	}
	r.Hazard, r.Server = h.ID, lock.Subject.Server
	return r
}

// findings are what a verdict says.
func findings(r *Report) string {
	var b strings.Builder
	v, why := r.Verdict()
	fmt.Fprintf(&b, "%s %v; %s\n", v, why, r.Limit)
	for _, f := range r.Found {
		if f.Violation.Invariant == history.LockRecovers { // see Whole
			fmt.Fprintf(&b, "%s %d\n", f.Violation.Invariant, r.Faults(&f))
			continue
		}
		fmt.Fprintf(&b, "%+v, shortest %t, %d\n%s\n", f.Violation, f.Shortest, f.Point, f.Schedule)
	}
	return b.String()
}

// TestCutIsWhole: a search that is cut, wherever and into however many parts, finds
// what the whole finds: the same verdict and the same counterexamples to the action.
// No state is visited by no part.
func TestCutIsWhole(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	type ground struct {
		lock, hazard string
		clients      int
	}
	grounds := []ground{
		{"set-del", "overrun", 2}, {"setnx", "crash", 2}, {"set-lua", "contention", 2}, {"fenced", "late-request", 2}, {"getset-timestamp", "client-clock", 2},
		{"watchdog-lua", "lost-reply", 2}, {"set-del", "overrun", 3}, {"pubsub-timed", "lost-push", 2}, {"setnx", "reentry", 2}, {"set-del", "node-clock", 2},
		{"set-del", "node-restart", 2}, {"redlock", "contention", 2},
		{"pubsub-wakeup", "lost-push", 2}, {"list-semaphore", "crash", 2}, {"watch-del", "partition", 2}, {"reentrant-leak", "reentry", 3},
	}
	for _, g := range testkit.Some(t, grounds, len(grounds), 5) {
		h, _ := FindHazard(g.hazard)
		h.Bounds.Depth = 200
		clients := []string{"A", "B", "C"}[:g.clients]
		whole := exploredAs(t, lockOf(t, g.lock), h, clients, Cut{})
		want := findings(&whole)
		one, _ := cutInto(t, lockOf(t, g.lock), h, clients, 4, 1)
		if one.Begun.Starts == 0 {
			t.Errorf("%v: it has no starts", g)
		}
		if one.States != whole.States || one.Depth != whole.Depth || one.Transitions != whole.Transitions || fmt.Sprint(one.Counts) != fmt.Sprint(whole.Counts) || findings(&one) != want {
			t.Errorf("%v: in one part\n%d states, %s\nnot\n%d states, %s", g, one.States, findings(&one), whole.States, want)
		}
		for range testkit.Size(t, 6, 2) {
			after, of := 1+rng.IntN(10), 2+rng.IntN(4)
			cut, parts := cutInto(t, lockOf(t, g.lock), h, clients, after, of)
			if got := findings(&cut); got != want {
				t.Errorf("%v, %d parts after %d:\n%s\nnot\n%s", g, of, after, got, want)
			}
			most := 0
			for _, p := range parts {
				most = max(most, p.States)
			}
			if cut.Depth < whole.Depth || cut.States < whole.States || most > whole.States {
				t.Errorf("%v, %d parts after %d: %d states, the largest part %d; the whole has %d", g, of, after, cut.States, most, whole.States)
			}
			t.Logf("%v, %d parts after %d, %d starts: %d states, largest %d, whole %d", g, of, after, cut.Begun.Starts, cut.States, most, whole.States)
		}
	}
}

// TestWholeNeedsAll: one part that a limit ended leaves the whole undecided, and no
// counterexample is proven shortest; parts with other beginnings are refused.
func TestWholeNeedsAll(t *testing.T) {
	t.Parallel()
	h, _ := FindHazard("crash")
	_, parts := cutInto(t, lockOf(t, "set-del"), h, []string{"A", "B"}, 5, 3)
	parts[1].Limit = "states"
	whole, err := Whole(parts)
	if v, _ := whole.Verdict(); v != Inconclusive || whole.Limit != "states" || err != nil {
		t.Errorf("%s by %q, %v", v, whole.Limit, err)
	}
	h, _ = FindHazard("overrun")
	_, parts = cutInto(t, lockOf(t, "set-del"), h, []string{"A", "B"}, 5, 3)
	parts[2].Limit = outOfMemory
	if whole, err = Whole(parts); err != nil || len(whole.Found) == 0 || whole.Found[0].Shortest {
		t.Errorf("%+v, %v", whole.Found, err)
	}
	other := *parts[1].Begun
	other.Key = "x"
	parts[1].Begun = &other
	if _, err := Whole(parts); err == nil || !strings.Contains(err.Error(), "part 2 learned something") {
		t.Error(err)
	}
	if _, err := Whole(nil); err == nil {
		t.Error("no parts are a whole")
	}
	h.Bounds.States = 20
	if r := exploredAs(t, lockOf(t, "set-del"), h, []string{"A", "B"}, Cut{5, 1, 2}); r.Limit != "states" {
		t.Errorf("a beginning with too many states ends by %q", r.Limit)
	}
}
