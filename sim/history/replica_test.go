package history

import (
	"slices"
	"testing"
)

// TestWhoOwnsAPromotedNode: a replica brings back the owner of the write that
// it has heard of, node by node, as far as it can lag behind.
func TestWhoOwnsAPromotedNode(t *testing.T) {
	promote := func(by Millis, before, after string) Event {
		e := onNode("r1", "", before, after)
		e.Kind, e.Op, e.By = Fault, string(Promote), by
		return e
	}
	set := func(client string) []Event { return []Event{onNode("r1", client, "", client)} }
	del := func(client string) []Event { return []Event{onNode("r1", client, client, "")} }
	turns := [][]Event{set("A"), del("A"), set("B")}
	for _, test := range []struct {
		name, config string
		parts        [][]Event
		want         string
	}{
		{"without the last write it is free", "lag=3", append(turns, []Event{promote(1, "B", "")}), ""},
		{"without the last two it is A's", "lag=3", append(turns, []Event{promote(2, "B", "A")}), "A"},
		{"without the last three it is free", "lag=3", append(turns, []Event{promote(3, "B", "")}), ""},
		{"and nobody's past is left", "lag=3", append(turns, []Event{promote(2, "B", "A"), promote(2, "A", "B")}), "A"},
		{"nor after a wipe", "lag=3", append(turns, []Event{{Kind: Fault, Op: string(Wipe), Node: "r1"}, promote(2, "B", "A")}), "B"},
		{"a restart forgets nothing", "lag=3", append(turns, []Event{{Kind: Fault, Op: string(Restart), Node: "r1"}, promote(2, "B", "A")}), "A"},
		{"a replica cannot be further behind", "lag=1", append(turns, []Event{promote(2, "B", "A")}), "B"},
		{"another node's writes do not count", "lag=2", append(turns, []Event{onNode("r2", "C", "", "C"), promote(2, "B", "A")}), "A"},
		{"nor do commands that change nothing", "lag=2", append(turns, []Event{{Kind: Apply, Client: "C", Node: "r1"}, promote(2, "B", "A")}), "A"},
		{"nor does an expiry", "lag=2", append(turns, []Event{onNode("r1", "", "B", ""), promote(2, "", "A")}), "A"},
	} {
		h := historyOf(t, test.config, 1, test.parts...)
		m := NewMonitor(h.Config, 1)
		for _, e := range h.Events {
			m.Observe(e)
		}
		if got := m.Owner("r1"); got != test.want {
			t.Errorf("%s: %q owns it, not %q", test.name, got, test.want)
		}
	}
}

// TestWhatAMonitorAnswers: the questions between two events.
func TestWhatAMonitorAnswers(t *testing.T) {
	h := historyOf(t, "", 3, acquires("A", "r1", "r2"), []Event{uses("A", Enter), onNode("r3", "B", "", "B")})
	m := NewMonitor(h.Config, 3)
	var found []Violation
	for _, e := range h.Events {
		found = append(found, m.Observe(e)...)
	}
	answers := func(who string) []bool {
		return []bool{m.Alive(who), m.Holds(who), m.Owns(who), m.Inside(who)}
	}
	for who, want := range map[string][]bool{"A": {true, true, true, true}, "B": {true, false, false, false}, "Z": {false, false, false, false}} {
		if got := answers(who); !slices.Equal(got, want) {
			t.Errorf("%s is alive, holds, owns, is inside: %v, not %v", who, got, want)
		}
	}
	if m.Owner("r3") != "B" || m.Owner("r1") != "A" || m.Owner("r4") != "" || len(found) != 0 {
		t.Errorf("owners %q %q %q, violations %v", m.Owner("r1"), m.Owner("r3"), m.Owner("r4"), found)
	}
	first := m.Observe(Event{Seq: 90, Kind: Resource, Client: "B", Op: Enter})
	second := m.Observe(Event{Seq: 91, Kind: Resource, Client: "C", Op: Enter})
	if len(first) != 1 || len(second) != 2 || len(m.Violations()) != 3 {
		t.Errorf("each event's own violations: %v, then %v, in all %v", first, second, m.Violations())
	}
	m.Observe(Event{Kind: Fault, Client: "A", Op: string(Crash)})
	if got := answers("A"); !slices.Equal(got, []bool{false, false, true, false}) {
		t.Errorf("A, dead, is alive, holds, owns, is inside: %v", got)
	}
	if NewMonitor(h.Config, 0).Owns("A") {
		t.Error("without nodes nobody owns anything")
	}
	if e := (Event{Kind: Return, Outcome: Updated}); !e.Acquires() || !(Event{Kind: Return, Outcome: Acquired}).Acquires() || (Event{Kind: Return, Outcome: Refused}).Acquires() || (Event{Kind: Apply, Outcome: Acquired}).Acquires() {
		t.Errorf("an update acquires, a refusal and another kind of event do not")
	}
}

// TestEffect: what became of each resource, in its own words.
func TestEffect(t *testing.T) {
	for _, test := range []struct {
		config string
		events []Event
		words  string
		effect Effect
	}{
		{"stock=2", nil, "sold 0 of 2", Effect{"stock", 0, 2, 0}},
		{"stock=2", []Event{{Kind: Resource, Client: "A", Op: ReadOp, Value: 2}, stores("A", 1, 1, 0)}, "sold 1 of 2", Effect{"stock", 1, 2, 1}},
		{"stock=2", []Event{
			{Kind: Resource, Client: "A", Op: ReadOp, Value: 2}, {Kind: Resource, Client: "B", Op: ReadOp, Value: 2}, stores("A", 1, 1, 0), stores("B", 1, 2, 1),
		}, "sold 2, but the stock fell by 1", Effect{"stock", 2, 2, 1}},
		{"", []Event{
			{Kind: Resource, Client: "A", Op: ReadOp, Value: 1}, {Kind: Resource, Client: "B", Op: ReadOp, Value: 1}, stores("A", 0, 1, 0), stores("B", 0, 2, 1),
		}, "sold 2 of 1", Effect{"stock", 2, 1, 1}},
		{"", []Event{{Kind: Resource, Client: "A", Op: ReadOp, Value: 0}, stores("A", 0, 1, 0)}, "sold 0, but the stock fell by 1", Effect{"stock", 0, 1, 1}},
		{"resource=task stock=5", []Event{stores("A", 1, 1, 0)}, "task run once", Effect{"task", 1, 1, 0}},
		{"resource=task", nil, "task run 0 times", Effect{"task", 0, 1, 0}},
		{"resource=cache", []Event{stores("A", 1, 1, 0), {Kind: Resource, Client: "B", Op: Enter}, stores("B", 2, 2, 1)}, "cache rebuilt 2 times", Effect{"cache", 2, 1, -1}},
	} {
		h := historyOf(t, test.config, 0, test.events)
		m := NewMonitor(h.Config, 0)
		for _, e := range h.Events {
			m.Observe(e)
		}
		if got := m.Effect(); got != test.effect || m.Consequence().String() != test.words {
			t.Errorf("%s after %d events: %+v, %q; not %+v, %q", test.config, len(test.events), got, m.Consequence(), test.effect, test.words)
		}
	}
}
