package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// leases are the possible lengths of a lease on a real server. Every duration of
// a story is scaled with it. The first that works is used.
var leases = []history.Millis{50, 100, 200, 400, history.Second, 2 * history.Second, 4 * history.Second, 8 * history.Second}

// scaled returns the story with another lease, and every duration in
// proportion.
func (s *Story) scaled(lease history.Millis) *Story {
	ttl := s.Lease()
	by := func(d history.Millis) history.Millis {
		if d == 0 {
			return 0
		}
		sign := history.Millis(1)
		if d < 0 {
			sign = -1
		}
		return sign * max(1, (sign*d*lease+ttl/2)/ttl)
	}
	scaled := *s
	scaled.Steps = slices.Clone(s.Steps)
	for i := range scaled.Steps {
		step := &scaled.Steps[i]
		c := &step.world
		for _, d := range []*history.Millis{&c.TTL, &c.Wait, &c.Poll, &c.Work, &c.Timeout} {
			*d = by(*d)
		}
		step.length = by(step.length)
		step.acts = slices.Clone(step.acts)
		for j := range step.acts {
			if a := &step.acts[j]; a.Verb == history.Jump || a.Verb == history.Advance {
				a.By = by(a.By)
			}
		}
	}
	return &scaled
}

// A rehearsal is a run in the world, scaled as for a real server.
type rehearsal struct {
	story  *Story
	lease  history.Millis
	result *Result
}

// longest bounds how long a real run waits.
const longest = 30 * history.Second

// rehearse finds the shortest lease with which the story goes as with its own
// and no command comes closer to a deadline than margin. Without one the error
// is a NotLiveError.
func rehearse(ctx context.Context, s *Story, config history.Config, lenient bool, margin history.Millis) (*rehearsal, error) {
	own, err := play(&stage{ctx: ctx, open: world.New}, s, s.Steps, config, lenient)
	if err != nil {
		return nil, err
	}
	want := shape(own)
	closest := history.Millis(-1)
	for _, lease := range slices.Sorted(slices.Values(append(slices.Clone(leases), config.TTL))) {
		scaled := s.scaled(lease)
		c := scaled.Steps[0].world
		c.Strategy = config.Strategy
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		result, err := play(&stage{ctx: ctx, open: world.New, recover: true}, scaled, scaled.Steps, c, true)
		if err != nil || shape(result) != want {
			continue
		}
		closest = max(closest, result.margin())
		switch {
		case result.margin() < margin:
			continue
		case result.waits() > longest:
			return nil, &NotLiveError{lang.New("it would take %v", result.waits())}
		}
		return &rehearsal{scaled, lease, result}, nil
	}
	if closest < 0 {
		return nil, &NotLiveError{lang.New("it goes otherwise with any lease of up to %v", leases[len(leases)-1])}
	}
	return nil, &NotLiveError{lang.New("a command comes %v before the end of a TTL, and a real server's clock is not known as well as that", closest)}
}

// shape is what happens in a run, without durations.
func shape(r *Result) string {
	var b strings.Builder
	for _, e := range r.History.Events {
		if e.Kind == history.Clock {
			continue // time may pass in other portions
		}
		fmt.Fprintln(&b, e.Kind, e.Client, e.Strand, e.Node, e.Op, e.Outcome, e.Token != "", e.Fence, e.Value, e.Version, len(e.Changes))
		for _, cmd := range e.Cmds {
			fmt.Fprint(&b, cmd[0], " ")
		}
		for _, ch := range e.Changes {
			whole := hasTTL(ch.After) && ch.After.Deadline-e.At == r.History.Config.TTL
			fmt.Fprint(&b, ch.Key, ch.Before == nil, ch.After == nil, hasTTL(ch.Before), hasTTL(ch.After), whole, " ")
		}
	}
	for _, v := range r.Violations {
		fmt.Fprintln(&b, v.Invariant, v.Client, v.Other)
	}
	fmt.Fprintln(&b, r.Consequence, r.Skipped)
	for _, other := range r.replays {
		b.WriteString(shape(other))
	}
	return b.String()
}

func hasTTL(k *history.KeyState) bool { return k != nil && k.Deadline > 0 }

// A shelf is the deadlines of a node's keys, as a history tells them.
type shelf map[string]map[string]history.Millis

func (s shelf) put(e history.Event) {
	if s[e.Node] == nil {
		s[e.Node] = map[string]history.Millis{}
	}
	for _, ch := range e.Changes {
		delete(s[e.Node], ch.Key)
		if hasTTL(ch.After) {
			s[e.Node][ch.Key] = ch.After.Deadline
		}
	}
}

// margin is the shortest time between a command and a deadline.
func (r *Result) margin() history.Millis {
	least, keys := history.Millis(1<<40), shelf{}
	for _, e := range r.History.Events {
		if e.Kind == history.Apply {
			for _, deadline := range keys[e.Node] {
				least = min(least, deadline-e.At)
			}
		}
		keys.put(e)
	}
	for _, other := range r.replays {
		least = min(least, other.margin())
	}
	return least
}

// waits is how long the run takes on a real server, which skips time in which no
// key has a TTL.
func (r *Result) waits() history.Millis {
	var sum history.Millis
	keys := shelf{}
	for _, e := range r.History.Events {
		ticks := false
		for _, deadlines := range keys {
			ticks = ticks || len(deadlines) > 0
		}
		if e.Kind == history.Clock && ticks {
			sum += e.By
		}
		keys.put(e)
	}
	for _, other := range r.replays {
		sum += other.waits()
	}
	return sum
}
