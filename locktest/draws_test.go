package locktest

import (
	"context"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/strategies"
)

// TestDrawsLate: a lock that draws what nobody can repeat only after 90 commands is
// known to draw.
func TestDrawsLate(t *testing.T) {
	drawn := false
	subject := simtest.Made(func(ctx context.Context, e strategies.Env) error {
		for range 90 {
			e.Redis.Get(ctx, e.Key)
		}
		drawn = true
		return simtest.Take(ctx, e, unrepeatable())
	})
	subject.Start = bubble.Start
	probed, _, _ := probed(subject)
	if known := probed.Draws; !known || !drawn {
		t.Errorf("it is known to draw: %t; it has drawn: %t", known, drawn)
	}
}
