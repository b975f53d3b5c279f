package cli

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestRows: a row appears with its first cell, and fills.
func TestRows(t *testing.T) {
	r := rows{all: []string{"set-lua", "zk-lock"}, hazards: []string{"contention", "crash", "hang", "overrun"}, signs: map[string]string{}}
	if got := r.lines(); len(got) > 0 {
		t.Errorf("%q before anything is decided", got)
	}
	broken := explore.Report{Found: []explore.Found{{Violation: history.Violation{Invariant: history.LockRecovers}}}}
	for _, tt := range []struct {
		lock, hazard string
		report       explore.Report
		want         []string
	}{
		{"zk-lock", "crash", broken, []string{"zk-lock .  LR .  ."}},
		{"zk-lock", "contention", explore.Report{Counts: explore.Counts{Enters: 2, Refused: 1}}, []string{"zk-lock =  LR .  ."}},
		{"set-lua", "overrun", explore.Report{Limit: "states"}, []string{"zk-lock =  LR .  .", "set-lua .  .  .  ?"}},
	} {
		tt.report.Hazard = tt.hazard
		tt.report.Config.Strategy = tt.lock
		r.decide(&tt.report)
		if got := r.lines(); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: %q, want %q", tt.lock, tt.hazard, got, tt.want)
		}
	}
}

// TestMatrixAsksAsTheWalkthrough: the command without flags asks of each cell what the
// walkthrough does, and what docs/matrix.md answers.
func TestMatrixAsksAsTheWalkthrough(t *testing.T) {
	job := testkit.Must(new(app).matrixJob(nil, newMatrixFlags()))(t)
	locks, hazards, err := job.Axes()
	if err != nil || len(locks) != len(strategies.Catalogue()) || len(hazards) != len(explore.Hazards()) {
		t.Fatalf("%d locks, %d hazards, %v", len(locks), len(hazards), err)
	}
	of := func(q explore.Question) string {
		return fmt.Sprintf("%s, %s: %+v in %+v", q.Lock.ID, q.Hazard.ID, q.Hazard.Bounds, q.Config)
	}
	for _, l := range locks {
		for _, h := range hazards {
			if got, want := of(job.Question(l, h, screenLimits.Memory)), of(explore.Within(screenLimits, "A", "B")(l, h)); got != want {
				t.Fatalf("it asks\n%s, not\n%s", got, want)
			}
		}
	}
}

// TestComputingOrder: the locks on ZooKeeper are computed last, and the cells are printed in the order
// that was asked for.
func TestComputingOrder(t *testing.T) {
	zk := program.Subject{Server: sim.ZooKeeper}
	locks := []explore.Lock{{ID: "a"}, {ID: "b", Subject: zk}, {ID: "c"}, {ID: "d", Subject: zk}}
	var order []string
	var cells []explore.Report
	for _, l := range computingOrder(locks) {
		order = append(order, l.ID)
		of := history.Config{Strategy: l.ID}
		cells = append(cells, explore.Report{Config: of, Hazard: "x"}, explore.Report{Config: of, Hazard: "y"})
	}
	if !slices.Equal(order, []string{"c", "a", "d", "b"}) {
		t.Errorf("computed: %v", order)
	}
	var printed []string
	for _, c := range inOrder(cells, []string{"a", "b", "c", "d"}) {
		printed = append(printed, c.Config.Strategy+c.Hazard)
	}
	if !slices.Equal(printed, []string{"ax", "ay", "bx", "by", "cx", "cy", "dx", "dy"}) {
		t.Errorf("printed: %v", printed)
	}
}
