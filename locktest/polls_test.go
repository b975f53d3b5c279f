package locktest

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/sim/explore"
)

// TestPollsForEver: a lock that asks ten times a second, with a lease of 30 s, is decided where its
// holder dies or hangs: 300 polls later it is had again.
func TestPollsForEver(t *testing.T) {
	for _, hazard := range []Hazard{Crash, Hang} {
		r := under(t, trialHere(t, waitsFor(func(ctx context.Context, l *tutorialLock) error {
			for {
				err := l.Lock(ctx)
				if !errors.Is(err, ErrNotAcquired) {
					return err
				}
				time.Sleep(100 * time.Millisecond)
			}
		}, nil), TTL(30*time.Second)), hazard)
		if r.Verdict != explore.Holds || r.Explored.Limit != "" || r.Explored.Polls == 0 {
			t.Errorf("%s: %s, %s, %d states, %d polls", hazard, r.Verdict, r.Reason, r.States, r.Explored.Polls)
		}
	}
}
