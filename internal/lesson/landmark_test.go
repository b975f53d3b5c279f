package lesson

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// landmarks lists the rows at which space stops.
func landmarks(r *Run) (rows []int) {
	for at := 0; at < len(r.Rows)-1; {
		at = r.Landmark(at, "en")
		rows = append(rows, at)
	}
	return rows
}

func played(t *testing.T, name string) *Run {
	t.Helper()
	story := testkit.Must(scenarios.Find(name))(t)
	result := testkit.Must(scenarios.Run(context.Background(), story))(t)
	return Of(result)
}

// TestLandmark compares the stops of one story with those that a reader chose.
func TestLandmark(t *testing.T) {
	r := played(t, "del_removes_the_next_holders_lock")
	var at []string
	for _, row := range landmarks(r) {
		at = append(at, r.Rows[row].Said().In(nil))
	}
	want := []string{
		"A acquire -> acquired", "A leaves the critical section", // its caption
		"r1 lock:stock expires (was A-1)", "B acquire -> acquired",
		"B reads stock = 1",     // its caption, before a question
		"A DEL lock:stock -> 1", // foreign-release, and the answer
		"A release -> released", "C acquire -> acquired", "C enters the critical section", "C release -> released",
		"B writes stock = 0", "B release -> lost", "check", "replay strategy=set-lua",
	}
	if !slices.Equal(at, want) {
		t.Errorf("space stops at %q", at)
	}
}

// TestLandmarksMissNothing: in no story does space pass a fault or the first violation
// of an invariant.
func TestLandmarksMissNothing(t *testing.T) {
	stories := scenarios.Stories()
	for _, s := range stories {
		r := played(t, s.Name)
		stops := landmarks(r)
		first := map[string]bool{}
		for _, f := range r.Found {
			if !first[f.Invariant] && f.Row > 0 && !slices.Contains(stops, f.Row) {
				t.Errorf("%s: space passes %s at row %d", s.Name, f.Invariant, f.Row)
			}
			first[f.Invariant] = true
		}
		for _, e := range r.History.Events {
			if row := r.RowOf(e.Seq); e.Kind == history.Fault && !slices.Contains(stops, row) {
				t.Errorf("%s: space passes the fault at row %d", s.Name, row)
			}
		}
	}
}

// TestTold: the caption of a command comes with its last row, unless it has introduced a
// question, or something was violated meanwhile.
func TestTold(t *testing.T) {
	for _, name := range []string{"del_removes_the_next_holders_lock", "a_late_del"} {
		r := played(t, name)
		for row := range r.Rows {
			told, own := r.Told(row), r.Step(row)
			from, _ := r.RowsOf(r.Rows[row].Beat)
			fails := slices.ContainsFunc(r.Rows[from:row+1], func(row Row) bool { return len(row.Found) > 0 })
			if early := told == own && !r.EndsCommand(row); early != (!r.EndsCommand(row) && (len(r.Questions(row)) > 0 || fails)) {
				t.Errorf("%s: row %d has the caption %q", name, row, told.Text)
			}
		}
	}
}

// TestLandmarkWithoutCaptions: an expiry is one by itself, not only as the end of a
// command.
func TestLandmarkWithoutCaptions(t *testing.T) {
	r := played(t, "del_removes_the_next_holders_lock")
	at := 0
	for r.Rows[at].Said().In(nil) != "r1 lock:stock expires (was A-1)" {
		if at == len(r.Rows)-1 {
			t.Fatal("space passes the expiry")
		}
		at = r.Landmark(at, "xx")
	}
}
