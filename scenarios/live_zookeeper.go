package scenarios

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/server"
	"lockstep/sim/world"
)

// speeds are how much faster a real ZooKeeper's time is than the world's, run by
// run: after each run on a machine that was too busy, it gets slower.
var speeds = []history.Millis{10, 4, 1}

// nearest is how close a request may come to the end of a session, in real time.
const nearest = 10 * history.Millisecond

// RunOnZooKeeper plays a story with a lock on real ZooKeeper servers that it starts,
// one for each run, and compares every event with the same run in the world.
func RunOnZooKeeper(ctx context.Context, s *Story, strategy string) (*LiveResult, error) {
	subject, err := SubjectOf(strategy)
	if err != nil {
		return nil, err
	}
	if err := onZooKeeper(subject, strategy); err != nil {
		return nil, err
	}
	config, lenient := s.Steps[0].world, strategy != s.Strategy()
	config.Strategy = strategy
	expected, err := play(&stage{ctx: ctx, open: world.New, recover: true}, s, s.Steps, config, lenient)
	if err != nil {
		return nil, err
	}
	margin := min(expected.sessionMargin(), config.TTL)
	var last *LiveResult
	for i, speed := range speeds {
		if margin < nearest*speed {
			continue
		}
		if last, err = performOnZooKeeper(ctx, expected, s, config, speed); err != nil {
			return nil, err
		}
		last.Margin, last.Runs = margin/speed, i+1
		if !last.TooBusy() {
			break
		}
	}
	if last == nil {
		return nil, &NotLiveError{lang.New("a request comes %v before the end of a session, and a real server's clock is not known as well as that", margin)}
	}
	return last, nil
}

// onZooKeeper refuses a lock that is not on ZooKeeper.
func onZooKeeper(subject program.Subject, strategy string) error {
	if subject.Server != sim.ZooKeeper {
		return &NotLiveError{lang.New("%s is no lock on ZooKeeper", strategy)}
	}
	return nil
}

// performOnZooKeeper plays a story on a server that it starts. Each replay has
// another.
func performOnZooKeeper(ctx context.Context, expected *Result, s *Story, config history.Config, speed history.Millis) (*LiveResult, error) {
	var on []*live.ZooKeeper
	defer func() {
		for _, server := range on {
			server.Stop()
		}
	}()
	open := func(c history.Config, subject program.Subject) (*world.World, error) {
		if err := onZooKeeper(subject, c.Strategy); err != nil {
			return nil, err
		}
		server, err := live.StartZooKeeper(ctx, (server.ZooKeeperTick / speed).Duration())
		if err != nil {
			return nil, err
		}
		on = append(on, server)
		return world.NewOnZooKeeper(ctx, c, subject, server)
	}
	result, err := play(&stage{ctx: ctx, open: open, recover: true, expected: expected, speed: speed}, s, s.Steps, config, true)
	if err != nil {
		return nil, refusedAsNotLive(err)
	}
	return &LiveResult{
		Result: result, Server: on[0].String(), Lease: config.TTL / speed,
		Difference: difference(expected, result), Drift: result.ahead(),
	}, nil
}

// sessionMargin is how close a request comes to the end of a session whose znodes
// go with it, at the closest.
func (r *Result) sessionMargin() history.Millis {
	least, last := history.MaxTime, history.Millis(-1)
	for _, e := range r.History.Events {
		switch {
		case e.Kind == history.Apply:
			last = e.At
		case e.Kind == history.Expire && last >= 0:
			least = min(least, e.At-last)
		}
	}
	for _, other := range r.replays {
		least = min(least, other.sessionMargin())
	}
	return least
}

// settled returns events without an order that nobody can observe: of messages that a
// server sends at a time over several connections, and of keys that end at a time.
func settled(events []history.Event) []history.Event {
	events = slices.Clone(events)
	for i := 0; i < len(events); i++ {
		if e := &events[i]; e.Kind == history.Expire {
			e.Changes = slices.Clone(e.Changes)
			slices.SortStableFunc(e.Changes, func(a, b history.Change) int { return strings.Compare(a.Key, b.Key) })
		}
		n := 0
		for i+n < len(events) && events[i+n].Kind == history.Push {
			n++
		}
		first := events[i].Seq
		slices.SortStableFunc(events[i:i+n], func(a, b history.Event) int { return strings.Compare(a.Client, b.Client) })
		for j := range n {
			events[i+j].Seq = first + j
		}
		i += max(n-1, 0)
	}
	return events
}
