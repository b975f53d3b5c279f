package pages

import (
	"strings"
	"testing"

	"lockstep/sim/history"
)

// wantCell fails if the cursor is elsewhere.
func wantCell(t testing.TB, m *Shell, lock, hazard int) {
	t.Helper()
	if b := m.board; at(m) != "matrix" || b.lock.at != lock || b.hazard.at != hazard {
		t.Errorf("at lock %d, hazard %d of page %s, want %d, %d of the matrix", b.lock.at, b.hazard.at, at(m), lock, hazard)
	}
}

// TestNoSuchCounterexample: a run that does not break what it is said to break
// is an error and not a run.
func TestNoSuchCounterexample(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	press(m, "right")
	m.board.here().Found = found(t, "setnx", "A*2 A.crash", history.LockRecovers)
	m.board.here().Found[0].Violation.Invariant = history.Leak
	press(m, "enter")
	if view(m).failed == nil || !strings.Contains(check(t, m), "does not violate leak") {
		t.Errorf("no error:\n%s", m.View())
	}
	press(m, "esc")
	wantCell(t, m, 0, 1)
}
