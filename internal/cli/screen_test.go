package cli

import (
	"slices"
	"testing"

	"lockstep/internal/testkit"
)

// TestWholeMatrix: the walkthrough has every lock and every hazard.
func TestWholeMatrix(t *testing.T) {
	m := testkit.Must(new(app).wholeMatrix(screenJobs()))(t)
	locks, err := new(app).matrixLocks(nil)
	if err != nil || len(m.Locks) != len(locks) || !slices.Equal(m.Hazards, hazardIDs()) || m.Jobs < 1 {
		t.Errorf("%d locks, %v, %d jobs, %v", len(m.Locks), m.Hazards, m.Jobs, err)
	}
}
