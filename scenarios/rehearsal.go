package scenarios

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// leases are the leases to try on a real server. Every duration of a story is scaled
// with the lease; the first that suits is used.
var leases = []history.Millis{50, 100, 200, 400, history.Second, 2 * history.Second, 4 * history.Second, 8 * history.Second}

// scaled returns the story with another lease and every duration in proportion.
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

// A rehearsal is a story in the world, scaled as for a real server.
type rehearsal struct {
	story  *Story
	lease  history.Millis
	result *Result
}

// longest is how much time a real run may wait, in all.
const longest = 30 * history.Second

// rehearse finds the shortest lease with which the story runs as it does with its
// own, and no command comes closer to the end of a TTL than margin. The error is a
// NotLiveError if there is none.
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

// shape is what happens in a run, whatever the durations.
func shape(r *Result) string {
	var b strings.Builder
	for _, e := range r.History.Events {
		if e.Kind == history.Clock {
			continue // time may pass in other pieces
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

// deadlines holds the deadlines of a node's keys.
type deadlines map[string]map[string]history.Millis

func (s deadlines) put(e history.Event) {
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

// margin is how close a command comes to the end of a TTL, at the closest.
func (r *Result) margin() history.Millis {
	least, keys := history.Millis(1<<40), deadlines{}
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

// waits is how long the run takes on a real server, which skips the time in which no
// key has a TTL.
func (r *Result) waits() history.Millis {
	var sum history.Millis
	keys := deadlines{}
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

// tolerance is how many milliseconds a time from a real server may differ: the rest
// of a TTL, or a deadline.
const tolerance = 3

// difference describes the first difference between a run on a real server and the
// same run in the world; nothing if they agree.
func difference(world, real *Result) lang.Message {
	a, b := world.History, real.History
	a.Events, b.Events = settled(a.Events), settled(b.Events)
	for i := range max(len(a.Events), len(b.Events)) {
		switch {
		case i >= len(a.Events):
			return lang.New("only on the real server: %s", eventText(b, i))
		case i >= len(b.Events):
			return lang.New("only in the world: %s", eventText(a, i))
		case !sameEvent(a.Events[i], b.Events[i]):
			return lang.New("in the world: %s; on the real server: %s", eventText(a, i), eventText(b, i))
		}
	}
	if !reflect.DeepEqual(verdicts(world), verdicts(real)) {
		return lang.New("in the world: %q; on the real server: %q", verdicts(world), verdicts(real))
	}
	if x, y := world.recovery, real.recovery; y.asked && x.recovers != y.recovers {
		return lang.New("the lock recovers: %v in the world, %v on the real server", x.recovers, y.recovers)
	}
	for i, other := range real.replays {
		if other.notLive {
			continue
		}
		if d := difference(world.replays[i], other); !d.None() {
			return lang.New("replayed against %s: %v", other.History.Config.Strategy, d)
		}
	}
	return lang.Message{}
}

func verdicts(r *Result) []string {
	texts := []string{r.Consequence.String()}
	for _, v := range r.Violations {
		texts = append(texts, fmt.Sprint(v.Invariant, " ", v.Client, " ", v.Other, " ", v.Seq))
	}
	return texts
}

// sameEvent compares two events; times may differ by the tolerance.
func sameEvent(a, b history.Event) bool {
	if !sameReply(a.Cmds, a.Reply, b.Reply) || len(a.Changes) != len(b.Changes) {
		return false
	}
	for i := range a.Changes {
		x, y := a.Changes[i], b.Changes[i]
		if x.Key != y.Key || !sameState(x.Before, y.Before) || !sameState(x.After, y.After) {
			return false
		}
	}
	b.Reply, b.Changes = a.Reply, a.Changes
	return reflect.DeepEqual(a, b)
}

func sameState(a, b *history.KeyState) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Type == b.Type && a.Value == b.Value && (a.Deadline == 0) == (b.Deadline == 0) &&
		max(a.Deadline-b.Deadline, b.Deadline-a.Deadline) <= tolerance
}

// sameReply compares two replies: errors by their first word, as clients do, and PTTL
// within the tolerance.
func sameReply(cmds [][]string, a, b string) bool {
	if a == b {
		return true
	}
	const failed = "(error) "
	if strings.HasPrefix(a, failed) && strings.HasPrefix(b, failed) {
		return slices.Equal(strings.Fields(a)[:2], strings.Fields(b)[:2])
	}
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return len(cmds) == 1 && cmds[0][0] == "PTTL" && errX == nil && errY == nil && x > 0 && y > 0 && max(x-y, y-x) <= tolerance
}

func eventText(h history.History, i int) string {
	e := h.Events[i]
	text := string(e.Kind)
	for _, l := range history.Lines(h.Events[i:i+1], h.Nodes) {
		text = l.Said().String()
	}
	for _, ch := range e.Changes {
		text += fmt.Sprintf(" [%s: %s -> %s]", ch.Key, stateText(ch.Before), stateText(ch.After))
	}
	return fmt.Sprintf("at %v, %s", e.At, text)
}

func stateText(k *history.KeyState) string {
	switch {
	case k == nil:
		return "absent"
	case k.Deadline == 0:
		return k.Value + ", no TTL"
	}
	return fmt.Sprintf("%s until %v", k.Value, k.Deadline)
}
