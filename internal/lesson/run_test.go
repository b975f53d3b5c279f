package lesson

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestAtIsTheFoldOfEverythingBefore compares what a row keeps, in a run that goes on, with
// what a fold comes to that ends there.
func TestAtIsTheFoldOfEverythingBefore(t *testing.T) {
	r := fixture(t, "red")
	for range 4 {
		n := len(r.History.Events)
		for _, e := range r.History.Events[:n:n] {
			e.Seq += n
			r.History.Events = append(r.History.Events, e)
		}
	}
	r = NewRun(r.History, nil, history.Check(r.History))
	bands := func(s Snapshot) string { return fmt.Sprintf("%+v", s) }
	for i := range r.Rows {
		f := newFold(r.History)
		for _, row := range r.Rows[:i+1] {
			f.show(row)
		}
		if got, want := bands(r.At(i)), bands(*f.snapshot(r.Nodes)); got != want {
			t.Fatalf("at row %d:\n%s\nwant\n%s", i, got, want)
		}
	}
}

// TestLockRecoversIsOpen until a check decides it.
func TestLockRecoversIsOpen(t *testing.T) {
	row := func(text string, printed history.Line) Row {
		story := testkit.Must(scenarios.Parse("s.txt", "s", "world strategy=set-del clients=A,B\n\n"+text+"\n"))(t)
		return Row{Command: &story.Steps[len(story.Steps)-1], Output: []history.Line{printed}}
	}
	for text, want := range map[string]bool{
		"check": true, "check lock-recovers": true, "check mutual-exclusion": false, "run A": false, "replay strategy=set-lua": false,
	} {
		if got := row(text, history.Line{}).Decides(history.LockRecovers); got != want {
			t.Errorf("%q decides: %v", text, got)
		}
	}
	if row("check", history.Line{Undecided: true}).Decides(history.LockRecovers) {
		t.Error("a check that gave up decides")
	}
}

// fixture plays a run with faults.
func fixture(t *testing.T, name string) *Run {
	t.Helper()
	config, schedule, err := history.ParseToken(map[string]string{
		"overrun": "ls1.KhRNUSouKUosSU2vtC1OLdFNSc1RSM7JTM0rKbZ11HFSKM8vyrY1NCjmctQyVtA2MzAwUHACsQxBLEcIbaDgqGUCCAAA__8",
		"red":     "ls1.joKX-SouKUosSU2vtC1KTcnJT85WSM7JTM0rKbZ11HHScVYozy_KtjU0KOZy1LJU0DYzMDBQcNKyVHBU0DY0AHEctQyNAQEAAP__",
	}[name])
	if err != nil {
		t.Fatal(err)
	}
	r := testkit.Must(scenarios.Replay(t.Context(), config, schedule))(t)
	return NewRun(r.History, nil, history.Check(r.History))
}

func TestInitials(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"A B C", "A B C"}, {"Worker1 Worker2", "1 2"}, {"Ann Amy Bob", "n y b"}, {"Ann Alan", "1 2"},
	} {
		if got := strings.Join(Initials(strings.Fields(c.names)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.names, got, c.want)
		}
	}
}
