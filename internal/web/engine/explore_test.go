package engine

import (
	"encoding/json"
	"testing"

	"lockstep/internal/matrix"
	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// elsewhere does jobs as another worker would: what goes there and comes back is JSON.
func elsewhere(t *testing.T, j *jobs) {
	t.Helper()
	j.under = map[int]chan Finding{}
	j.send = func(a Answer) {
		if a.Job == nil {
			return
		}
		go Explore(t.Context(), through(t, *a.Job), func(f Finding) { j.hear(t.Context(), through(t, f)) })
	}
}

func through[V any](t *testing.T, v V) (back V) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Error(err)
	}
	return back
}

// TestLevelElsewhere: what is found in another worker is what is found here.
func TestLevelElsewhere(t *testing.T) {
	var j jobs
	elsewhere(t, &j)
	level := testkit.Must(levelOf(nil, "oversell"))(t)
	got := testkit.Must(j.prove(t.Context(), level))(t)
	want := testkit.Must(matrix.Explorer(matrix.Limits(memory))(t.Context(), level))(t)
	same(t, got, want)
	if len(got.Schedule) == 0 || got.Assumptions.String() == "" {
		t.Errorf("found %+v", got)
	}
}

// TestCellsElsewhere: the same for cells of the matrix; a job that nobody waits for
// is stopped.
func TestCellsElsewhere(t *testing.T) {
	locks := testkit.Must(everyLock())(t)
	cells := testkit.Must(explore.Matrix(t.Context(), locks[:2], explore.Hazards(), explore.Within(matrix.Limits(memory), "A", "B"), 1, nil, nil))(t)
	for _, c := range cells {
		r := through(t, c)
		same(t, r, c)
	}
	stopped := 0
	j := jobs{under: map[int]chan Finding{}, send: func(a Answer) { stopped += a.Stop }}
	if err := j.do(canceled(t), Job{}, func(Finding) {}); err == nil || stopped != 1 || len(j.under) != 0 {
		t.Errorf("stopped %d, %v", stopped, err)
	}
	if m := j.matrix(""); len(m.Locks) != len(locks) || len(m.Hazards) != len(explore.Hazards()) {
		t.Errorf("the matrix has %v, %v", m.Locks, m.Hazards)
	}
}

// TestTroubleElsewhere: what ends a job is said, and who asks for no level is told.
func TestTroubleElsewhere(t *testing.T) {
	var j jobs
	elsewhere(t, &j)
	if err := j.do(t.Context(), Job{Level: "none"}, func(Finding) {}); err == nil || err.Error() != `the exploration has ended: "none" is not a level` {
		t.Errorf("%v", err)
	}
	j.hear(t.Context(), Finding{ID: 99}) // nobody's
}

// same compares what is said in English: what a violation has in detail has no other
// language once it was elsewhere.
func same[V explore.Report | pages.Proof](t *testing.T, got, want V) {
	t.Helper()
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("%s, %v; want %s, %v", a, errA, b, errB)
	}
}
