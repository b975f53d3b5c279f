package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// checkRemedy plays again what a remedy was played as: with it, the invariant is
// kept, whoever violated it comes as far, and every fault of the run happens.
func checkRemedy(t *testing.T, run string, h history.History, v history.Violation, r explain.Remedy) {
	t.Helper()
	played := r.Played
	want := h.Config
	if r.Lease != 0 {
		want.TTL = r.Lease
		checkLeast(t, run, h, v, r)
	} else {
		want.Strategy = r.Lock
	}
	if played.Config.String() != want.String() || played.Config.String() == h.Config.String() {
		t.Errorf("%s %s: %+v was played in %v", run, v.Invariant, r.Lock, played.Config)
	}
	again := testkit.Must(scenarios.Replay(t.Context(), played.Config, played.Schedule))(t)
	if slices.ContainsFunc(again.Violations, func(other history.Violation) bool { return other.Invariant == v.Invariant }) {
		t.Errorf("%s %s: violated with %s %v too", run, v.Invariant, r.Lock, r.Lease)
	}
	mine := history.Check(h)
	for _, u := range again.Violations {
		if !slices.ContainsFunc(mine, func(w history.Violation) bool { return w.Invariant == u.Invariant }) && !history.Tried(u.Invariant) {
			t.Errorf("%s %s: with %s %v, %s is violated", run, v.Invariant, r.Lock, r.Lease, u.Invariant)
		}
	}
	if faults(h.Schedule) != faults(played.Schedule) {
		t.Errorf("%s %s: with %s %v the faults are %s", run, v.Invariant, r.Lock, r.Lease, faults(played.Schedule))
	}
	if was, is := came(h.Events[:v.Seq+1], v), came(played.Events, v); !history.Tried(v.Invariant) && is < was && !waits(played.Events, v) {
		t.Errorf("%s %s: with %s %v %s comes to %d of %d", run, v.Invariant, r.Lock, r.Lease, v.Client, is, was)
	}
}

// faults lists what goes wrong in a schedule.
func faults(s history.Schedule) string {
	var list history.Schedule
	for _, a := range s {
		if !a.Verb.IsTime() && a.Verb != history.Step && a.Verb != history.Send && a.Verb != history.Arrive {
			list = append(list, a)
		}
	}
	return list.String()
}
