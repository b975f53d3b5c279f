package scenarios

import (
	"testing"

	"lockstep/internal/testkit/judge"
)

// judged asks the second judge about a run and its replays.
func judged(t testing.TB, r *Result) {
	t.Helper()
	judge.Agree(t, r.History)
	for _, other := range r.replays {
		judged(t, other)
	}
}
