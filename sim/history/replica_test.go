package history

import (
	"slices"
	"testing"
)

// TestWhoOwnsAPromotedNode: a replica brings back the owner of the write that
// it has heard of, node by node, as far as it can lag behind.
func TestWhoOwnsAPromotedNode(t *testing.T) {
	const turns = "A r1 >A, A r1 A>, B r1 >B"
	for _, test := range []struct{ name, config, then, want string }{
		{"without the last write it is free", "lag=3", "r1 B> missing 1", ""},
		{"without the last two it is A's", "lag=3", "r1 B>A missing 2", "A"},
		{"without the last three it is free", "lag=3", "r1 B> missing 3", ""},
		{"and nobody's past is left", "lag=3", "r1 B>A missing 2, r1 A>B missing 2", "A"},
		{"nor after a wipe", "lag=3", "r1 wipes, r1 B>A missing 2", "B"},
		{"a restart forgets nothing", "lag=3", "r1 restarts, r1 B>A missing 2", "A"},
		{"a replica cannot be further behind", "lag=1", "r1 B>A missing 2", "B"},
		{"another node's writes do not count", "lag=2", "C r2 >C, r1 B>A missing 2", "A"},
		{"nor do commands that change nothing", "lag=2", "C r1 nothing, r1 B>A missing 2", "A"},
		{"nor does an expiry", "lag=2", "r1 B>, r1 >A missing 2", "A"},
	} {
		if got := observed(t, test.config, 1, turns+", "+test.then).Owner("r1"); got != test.want {
			t.Errorf("%s: %q owns it, not %q", test.name, got, test.want)
		}
	}
}

// TestWhatAMonitorAnswers: the questions between two events.
func TestWhatAMonitorAnswers(t *testing.T) {
	m := observed(t, "", 3, "A acquires r1 r2, A enters, B r3 >B")
	found := m.Violations()
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
	if NewMonitor(m.config, 0).Owns("A") {
		t.Error("without nodes nobody owns anything")
	}
	if e := (Event{Kind: Return, Outcome: Updated}); !e.Acquires() || !(Event{Kind: Return, Outcome: Acquired}).Acquires() || (Event{Kind: Return, Outcome: Refused}).Acquires() || (Event{Kind: Apply, Outcome: Acquired}).Acquires() {
		t.Errorf("an update acquires, a refusal and another kind of event do not")
	}
}

// TestEffect: what became of each resource, in its own words.
func TestEffect(t *testing.T) {
	for _, test := range []struct {
		config, history string
		words           string
		effect          Effect
	}{
		{"stock=2", "", "sold 0 of 2", Effect{"stock", 0, 2, 0}},
		{"stock=2", "A reads 2, A stores 1 1 0", "sold 1 of 2", Effect{"stock", 1, 2, 1}},
		{"stock=2", "A reads 2, B reads 2, A stores 1 1 0, B stores 1 2 1", "sold 2, but the stock fell by 1", Effect{"stock", 2, 2, 1}},
		{"", "A reads 1, B reads 1, A stores 0 1 0, B stores 0 2 1", "sold 2 of 1", Effect{"stock", 2, 1, 1}},
		{"", "A reads 0, A stores 0 1 0", "sold 0, but the stock fell by 1", Effect{"stock", 0, 1, 1}},
		{"resource=task stock=5", "A stores 1 1 0", "task run once", Effect{"task", 1, 1, 0}},
		{"resource=task", "", "task run 0 times", Effect{"task", 0, 1, 0}},
		{"resource=cache", "A stores 1 1 0, B enters, B stores 2 2 1", "cache rebuilt 2 times", Effect{"cache", 2, 1, -1}},
	} {
		m := observed(t, test.config, 0, test.history)
		if got := m.Effect(); got != test.effect || m.Consequence().String() != test.words {
			t.Errorf("%s after %q: %+v, %q; not %+v, %q", test.config, test.history, got, m.Consequence(), test.effect, test.words)
		}
	}
}
