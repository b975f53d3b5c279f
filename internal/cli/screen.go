package cli

import (
	"runtime"

	"lockstep/internal/matrix"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// screenLimits bound what the walkthrough explores.
var screenLimits = matrix.Limits(int(memoryFlag()))

// screenJobs leaves one processor to the screen, if there are several.
func screenJobs() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// wholeMatrix is the matrix of the walkthrough.
func (a *app) wholeMatrix() (*pages.Matrix, error) {
	locks, err := a.matrixLocks(nil)
	if err != nil {
		return nil, err
	}
	return matrix.Matrix(locks, explore.Hazards(), screenLimits, screenJobs()), nil
}
