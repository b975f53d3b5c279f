package locktest

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/helper"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/strategies"
)

// TestDrawsLate: a lock that draws what nobody can repeat only after 90 commands is
// known to draw.
func TestDrawsLate(t *testing.T) {
	testkit.Single(t)
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

// TestDigestOfADraw: a token that nobody can repeat has a name, and its digest that of the
// name: a release by digest is right.
func TestDigestOfADraw(t *testing.T) {
	testkit.Single(t)
	o := defaults()
	o.plan.Hazards = []string{"contention", "overrun"}
	var lock Factory = func(c Client) (Lock, error) {
		token := ""
		return Funcs(func(ctx context.Context) error {
			mine := fmt.Sprint(unrepeatable())
			ok, err := c.Redis.SetNX(ctx, c.Key, mine, c.TTL).Result()
			if ok {
				token = mine
			}
			return refused(ok, err)
		}, func(ctx context.Context) error {
			n, err := c.Redis.DelExArgs(ctx, c.Key, redis.DelExArgs{Mode: "IFDEQ", MatchDigest: helper.DigestString(token)}).Result()
			return released(int(n), err)
		}), nil
	}
	for _, r := range reports(t, lock, &o) {
		if r.Verdict != explore.Holds || !r.Facts.Draws {
			t.Errorf("%s: %s %s; it draws: %t", r.Hazard, r.Verdict, r.Reason, r.Facts.Draws)
		}
	}
}
