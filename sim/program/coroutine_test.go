package program

import (
	"context"
	"errors"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// asking is a lock that asks for a key, and reads its clock meanwhile.
type asking struct{ strategies.Env }

func (l asking) Lock(ctx context.Context) (strategies.Grant, error) {
	l.Go("task", func() { l.Clock.Now() })
	return strategies.Grant{}, l.Redis.Get(ctx, l.Key).Err()
}

func (asking) Unlock(context.Context, strategies.Grant) error { return nil }

// TestNobodyWaitsThere: what no strand waits for is an error, and changes nothing: not for
// a strand that there is not or that has ended, nor for one that waits for something else.
func TestNobodyWaitsThere(t *testing.T) {
	c := newCoroutine(history.Default(), Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return asking{e} }}, "A")
	defer c.Close()
	nothing, now, reply := sim.Observation{}, sim.Observation{Kind: sim.SawNow, Shown: sim.Epoch()}, sim.Observation{Kind: sim.SawReply, Reply: []byte("$-1\r\n")}
	for i, test := range []struct {
		strand int
		sees   sim.Observation
		awaits bool
	}{
		{1, nothing, false}, {0, reply, false}, {0, nothing, true}, // it begins
		{0, nothing, false}, {0, now, false}, {1, now, false}, {1, nothing, true},
		{1, reply, false}, {2, nothing, false}, {1, now, true},
		{1, nothing, false}, {1, now, false}, {0, reply, true}, // the task has ended
	} {
		if _, _, err := c.Observe(0, test.strand, test.sees); test.awaits && err != nil || !test.awaits && !errors.Is(err, ErrNondeterministic) {
			t.Fatalf("observation %d: %v", i, err)
		}
	}
	c.Die()
	if _, _, err := c.Observe(0, 0, nothing); !errors.Is(err, ErrNondeterministic) {
		t.Errorf("after its death: %v", err)
	}
}
