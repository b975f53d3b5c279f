package explain_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/sim"
	"lockstep/sim/history"
)

// checkDenial looks for what a sentence says has not happened.
func checkDenial(t *testing.T, id string, h history.History, s explain.Sentence, about []history.Event) {
	t.Helper()
	e := about[0]
	for _, other := range h.Events {
		same := other.Client == e.Client
		switch {
		case s.ID == "code-unseen" && same && other.During == e.During && other.Node == e.Node && other.Seq < e.Seq && asks(other),
			s.ID == "code-mistook" && other.Seq == e.Seq && ownerAt(h, e) != s.Facts.Other,
			s.ID == "code-looked" && other.Seq == e.Seq && ownerAt(h, e) == ownerAt(h, about[1]),
			strings.HasSuffix(s.ID, "sent-nothing") && other.Kind == history.Request && other.During == e.Call && other.Seq < e.Seq,
			s.ID == "cost-unguarded" && other.Acquires() && other.Client != s.Facts.Client && other.Seq > about[1].Seq && other.Seq < e.Seq:
			t.Errorf("%s: %s, but %+v", id, s.ID, other)
		}
	}
}

// owned counts the nodes on which the lock's key is a client's after an event.
func owned(h history.History, client string, e history.Event) (n int64) {
	for i := range h.Nodes {
		if ownerAt(h, history.Event{Seq: e.Seq + 1, Node: history.NodeName(i)}) == client {
			n++
		}
	}
	return n
}

// ownerAt is whose the lock's key was on an event's node before it.
func ownerAt(h history.History, e history.Event) string {
	m := history.NewMonitor(h.Config, h.Nodes)
	for _, before := range h.Events[:e.Seq] {
		m.Observe(before)
	}
	return m.Owner(e.Node)
}

// factsOf are the words that may be said of some events: what is in them, and who
// owned the keys that they changed.
func factsOf(h history.History, v history.Violation, about []history.Event) map[string]bool {
	known := map[string]bool{(sim.RecoveryLeases * h.Config.TTL).String(): true, v.Client: true, v.Other: true, v.Key: true, "owns": true, "short": true, h.Config.Resource: true}
	var nodes []string
	add := func(words ...string) {
		for _, w := range words {
			known[w] = true
		}
	}
	for _, e := range about {
		var names []string
		for _, c := range e.Cmds {
			names = append(names, c[0])
		}
		add(e.At.String(), (e.At - e.By).String(), e.By.String(), e.Client, history.StrandName(e.Client, e.Strand), e.Node, e.Reply, e.Outcome, e.Op, e.Outcome+e.Text,
			strings.TrimPrefix(e.Source, "strategies/"), strings.Join(names, " "), e.Text, strconv.FormatInt(e.Value, 10),
			strconv.FormatFloat(float64(e.By)/10, 'f', -1, 64))
		if words := strings.Fields(e.Text); len(words) > 1 && (e.Op == string(history.Crash) || e.Op == string(history.Hang)) {
			add(words[1])
		}
		for _, c := range e.Changes {
			for _, k := range []*history.KeyState{c.Before, c.After} {
				if k != nil {
					add(k.Value, k.Deadline.String(), (k.Deadline - e.At).String())
				}
			}
			add(ownerAt(h, e))
			if c.After == nil && v.Other == "" {
				add(c.Key) // the node that is gone
			}
		}
		if e.Kind == history.Apply {
			add(ownerAt(h, e)) // what it read
		}
		if !slices.Contains(nodes, e.Node) {
			nodes = append(nodes, e.Node)
		}
	}
	slices.Sort(nodes)
	add(strings.TrimPrefix(strings.Join(nodes, ", "), ", "), sim.Probe)
	return known
}
