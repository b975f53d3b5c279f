package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

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
	if x, y := world.recovers, real.recovers; x != nil && y != nil && *x != *y {
		return lang.New("the lock recovers: %v in the world, %v on the real server", *x, *y)
	}
	for i, other := range real.replays {
		if other == nil { // a real server could not play it
			continue
		}
		if d := difference(world.replays[i], other); !d.None() {
			return lang.New("replayed against %s: %v", other.History.Config.Strategy, d)
		}
	}
	return lang.Message{}
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
