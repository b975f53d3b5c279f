package bubble_test

import (
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// TestZooKeeperLocks: what the explorer finds in locks on ZooKeeper.
func TestZooKeeperLocks(t *testing.T) {
	for _, test := range []struct {
		lock, hazard string
		violates     []string // in the order of history.Invariants
	}{
		{"zk-ephemeral", "contention", nil},
		{"zk-blind", "contention", []string{history.LockRecovers}},
		{"zk-sequential", "contention", nil},
	} {
		t.Run(test.lock+" "+test.hazard, func(t *testing.T) {
			info, _ := strategies.Find(test.lock)
			h, _ := explore.FindHazard(test.hazard)
			lock := explore.Lock{ID: info.ID, Subject: bubble.Subject(info)}
			report := testkit.Must(explore.Explore(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, explore.Options{}))(t)
			var violates []string
			for _, f := range report.Found {
				violates = append(violates, f.Violation.Invariant)
			}
			if report.Limit != "" || !slices.Equal(violates, test.violates) {
				t.Errorf("violates %q, want %q; limit %q, %d states", violates, test.violates, report.Limit, report.States)
			}
		})
	}
}

// TestQuiet: where a lock on ZooKeeper is taken to have no timer, time brings it
// nowhere. Under these hazards, its sessions end and its connections break.
func TestQuiet(t *testing.T) {
	bubble.CheckQuiet(t)
	locks := slices.DeleteFunc(strategies.Catalogue(), func(i strategies.Info) bool { return !i.ZooKeeper })
	for _, info := range testkit.Some(t, locks, 4, 4) {
		for _, hazard := range testkit.Some(t, []string{"contention", "lost-push"}, 1, 1) {
			h, _ := explore.FindHazard(hazard)
			lock := explore.Lock{ID: info.ID, Subject: bubble.Subject(info)}
			if _, err := explore.Explore(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, explore.Options{}); err != nil {
				t.Errorf("%s under %s: %v", info.ID, hazard, err)
			}
		}
	}
}
