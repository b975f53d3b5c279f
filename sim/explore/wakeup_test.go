package explore

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/model"
)

// TestNobodyIsLeftByTheEnd: a search that has ended judges no state, since code that it ended
// stands still as does code that nobody wakes.
func TestNobodyIsLeftByTheEnd(t *testing.T) {
	h, _ := FindHazard("contention")
	l := lockOf(t, "pubsub-wakeup")
	e := newSearch(t.Context(), model.New(t.Context(), h.Config(l, "A", "B"), l.Subject, false), h.Bounds, Options{})
	defer e.Close()
	testkit.OK(t, e.run())
	f := &orphanFinder{search: e}
	if err := f.findLostWakeup(); err != nil || len(e.report.Found) != 1 {
		t.Fatalf("%v, %+v", err, e.report.Found)
	}
	e.report.Found = nil
	e.stop()
	if err := f.findLostWakeup(); err != nil || e.report.Limit != Interrupt || len(e.report.Found) > 0 {
		t.Errorf("%v, limit %q, %+v", err, e.report.Limit, e.report.Found)
	}
}
