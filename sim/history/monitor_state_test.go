package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A teller makes up histories that could happen: who is where in its round,
// and what the key holds. Two with equal fields tell the same future to the
// same random numbers.
type teller struct {
	config Config
	where  map[string]string // idle, acquiring, holding, inside, releasing, dead
	keys   map[string]string // by node; "" is absent
	stock  [2]int64          // value and version
	saw    map[string]int64  // the version that a client has read
}

func newTeller(c Config) *teller {
	return &teller{c, map[string]string{}, map[string]string{}, [2]int64{c.Stock, 0}, map[string]int64{}}
}

func (l *teller) String() string { return fmt.Sprint(l.where, l.keys, l.stock, l.saw) }

func (l *teller) next(rng *rand.Rand, nodes []string) Event {
	who := l.config.Clients[rng.IntN(len(l.config.Clients))]
	node := nodes[rng.IntN(len(nodes))]
	pick := func(from ...Event) Event { return from[rng.IntN(len(from))] }
	switch rng.IntN(8) {
	case 0:
		if rng.IntN(6) == 0 {
			l.where[who] = "dead"
			return pick(faulty(who, Crash), Event{Kind: Panic, Client: who})
		}
		if value := l.keys[node]; value != "" && l.config.Lag == 0 {
			l.keys[node] = ""
			return onNode(node, "", value, "")
		}
		return pick(Event{Kind: Clock, By: 5}, Event{Kind: Fault, Op: string(Wipe), Node: node}, faulty(who, Hang))
	case 1, 2:
		if l.where[who] == "dead" {
			return Event{Kind: Clock, By: 1}
		}
		before, after := l.keys[node], []string{"", who, who + "2"}[rng.IntN(3)]
		if before == after {
			return Event{Kind: Apply, Client: who, Node: node}
		}
		l.keys[node] = after
		return onNode(node, who, before, after)
	}
	return l.round(rng, who)
}

// round is the client's own next step.
func (l *teller) round(rng *rand.Rand, who string) Event {
	to := func(where string, e Event) Event {
		l.where[who] = where
		return e
	}
	n := rng.IntN(4)
	switch l.where[who] {
	case "":
		return to("acquiring", invoke(who, OpAcquire))
	case "acquiring":
		switch n {
		case 0:
			return to("", returns(who, OpAcquire, Refused))
		case 1:
			return to("", fails(who, OpAcquire))
		case 2:
			return Event{Kind: Sleep, Client: who, Strand: rng.IntN(2)}
		}
		return to("holding", returns(who, OpAcquire, Acquired))
	case "holding":
		if n == 0 {
			return to("releasing", invoke(who, OpRelease))
		}
		l.saw[who] = 0
		return to("inside", uses(who, Enter))
	case "inside":
		switch n {
		case 0:
			return to("holding", uses(who, Leave))
		case 1:
			l.saw[who] = l.stock[1]
			return Event{Kind: Resource, Client: who, Op: ReadOp, Value: l.stock[0], Version: l.stock[1]}
		}
		l.stock = [2]int64{l.stock[0] - 1, l.stock[1] + 1}
		return stores(who, l.stock[0], l.stock[1], l.saw[who])
	case "releasing":
		return to("", returns(who, OpRelease, []string{Released, Lost}[rng.IntN(2)]))
	}
	return Event{Kind: Clock, By: 1} // the dead do nothing
}

// tellings calls f with random beginnings of histories of a few worlds.
func tellings(f func(seed uint64, l *teller, m *Monitor, nodes []string, rng *rand.Rand)) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := Default()
		c.Stock, c.Lag = 3, int(seed/3%2)*2
		nodes := []string{"r1", "r2", "r3"}[:1+seed%3/2*2]
		f(seed, newTeller(c), NewMonitor(c, len(nodes)), nodes, rng)
	}
}

// foundIn is what a monitor finds, whatever the numbers of the events and, as a
// state does not keep it, whose write was lost.
func foundIn(vs []Violation) (out []string) {
	for _, v := range vs {
		out = append(out, fmt.Sprintln(v.Invariant, v.Client, v.Detail))
	}
	return out
}

// TestEqualMonitorsFindTheSame: two monitors with the same bytes find the same
// in every future, however they came there.
func TestEqualMonitorsFindTheSame(t *testing.T) {
	type known struct {
		teller  *teller
		monitor *Monitor
	}
	seen := map[string]known{}
	met := 0
	tellings(func(seed uint64, l *teller, m *Monitor, nodes []string, rng *rand.Rand) {
		for seq := range 40 {
			e := l.next(rng, nodes)
			e.Seq = seq
			m.Observe(e)
			key := fmt.Sprintf("%d %d %v %q", len(nodes), l.config.Lag, l, m.Canonical())
			other, ok := seen[key]
			if !ok || met == 600 { // enough
				seen[key] = known{l.clone(), m.Clone()}
				continue
			}
			met++
			a, b, future := other.monitor.Clone(), m.Clone(), rand.New(rand.NewPCG(seed, uint64(seq)))
			teller := l.clone()
			for later := range 12 {
				e := teller.next(future, nodes)
				e.Seq = 100 + later
				if x, y := foundIn(a.Observe(e)), foundIn(b.Observe(e)); !slices.Equal(x, y) {
					t.Fatalf("seed %d, event %d: at %s\none monitor finds %q, the other %q at %+v", seed, seq, key, x, y, e)
				}
				if string(a.Canonical()) != string(b.Canonical()) {
					t.Fatalf("seed %d, event %d: at %s\n two monitors differ after %+v", seed, seq, key, e)
				}
			}
		}
	})
	if met < 600 {
		t.Errorf("only %d pairs of equal monitors", met)
	}
}

func (l *teller) clone() *teller {
	return &teller{l.config, copied(l.where), copied(l.keys), l.stock, copied(l.saw)}
}

func copied[V any](m map[string]V) map[string]V {
	c := map[string]V{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// TestAMonitorIgnoresWhatMakesNoDifference: what Ignores says of an event is
// true of it.
func TestAMonitorIgnoresWhatMakesNoDifference(t *testing.T) {
	ignored := map[Kind]bool{}
	tellings(func(seed uint64, l *teller, m *Monitor, nodes []string, rng *rand.Rand) {
		for seq := range 40 {
			e := l.next(rng, nodes)
			e.Seq = seq
			before, ignores := m.Canonical(), m.Ignores(e)
			found := m.Observe(e)
			if ignores && (len(found) > 0 || string(m.Canonical()) != string(before)) {
				t.Fatalf("seed %d: %+v is ignored, finds %v, and makes of\n%q\n%q", seed, e, found, before, m.Canonical())
			}
			ignored[e.Kind] = ignored[e.Kind] || ignores
		}
	})
	for _, kind := range []Kind{Clock, Apply, Sleep, Fault} {
		if !ignored[kind] {
			t.Errorf("no %s was ignored", kind)
		}
	}
	lagging := Default()
	lagging.Lag = 1
	other := Event{Kind: Apply, Client: "A", Node: "r1", Changes: []Change{{"other", nil, &KeyState{}}}}
	if NewMonitor(lagging, 1).Ignores(other) || !NewMonitor(Default(), 1).Ignores(other) {
		t.Error("a write to another key matters where a replica lags behind, and only there")
	}
}

// TestACloneGoesItsOwnWay: what a clone observes does not reach the monitor
// that it is of.
func TestACloneGoesItsOwnWay(t *testing.T) {
	tellings(func(seed uint64, l *teller, m *Monitor, nodes []string, rng *rand.Rand) {
		for seq := range 20 {
			m.Observe(l.next(rng, nodes))
			clone, was := m.Clone(), fmt.Sprintf("%+v", m)
			teller := l.clone()
			for range 6 {
				e := teller.next(rng, nodes)
				clone.Observe(e)
			}
			if is := fmt.Sprintf("%+v", m); is != was {
				t.Fatalf("seed %d, event %d: was %s, is %s", seed, seq, was, is)
			}
		}
	})
}

// TestMonitorsThatDiffer: what makes a difference to some future is in the
// bytes, one thing at a time.
func TestMonitorsThatDiffer(t *testing.T) {
	a := acquires("A", "r1")
	took := slices.Concat(a, []Event{invoke("B", OpAcquire), onNode("r1", "B", "A", "B")})
	for _, test := range []struct {
		name     string
		one, two []Event
	}{
		{"who is alive", a, append(slices.Clone(a), faulty("A", Crash))},
		{"who is acquiring", nil, []Event{invoke("A", OpAcquire)}},
		{"who is inside", a, append(slices.Clone(a), uses("A", Enter))},
		{"who is inside, beside one who acquires", append(slices.Clone(a), invoke("A", OpAcquire)), append(slices.Clone(a), invoke("A", OpAcquire), uses("A", Enter))},
		{"who is inside without the lock", append(slices.Clone(a), onNode("r1", "", "A", "")), append(slices.Clone(a), uses("A", Enter), onNode("r1", "", "A", ""))},
		{"whose belief is known to be wrong", a, append(slices.Clone(a), onNode("r1", "", "A", ""), onNode("r1", "A", "", "A"))},
		{"who has been refused by its own key", append(slices.Clone(a), invoke("A", OpAcquire)),
			append(slices.Clone(a), invoke("A", OpAcquire), Event{Kind: Sleep, Client: "A"})},
		{"how often it holds", a, slices.Concat(a, []Event{invoke("A", OpAcquire), returns("A", OpAcquire, Acquired)})},
		{"what it has read", a, append(slices.Clone(a), Event{Kind: Resource, Client: "A", Op: ReadOp, Value: 1})},
		{"what it has overwritten", append(slices.Clone(a), invoke("B", OpAcquire), onNode("r1", "C", "A", "B")), took},
		{"the version", []Event{stores("A", 0, 1, 0)}, []Event{stores("A", 0, 2, 0)}},
		{"how much is left", []Event{stores("A", 1, 1, 0)}, []Event{stores("A", 0, 1, 0)}},
		{"who owns the key", []Event{onNode("r1", "A", "", "x")}, []Event{onNode("r1", "B", "", "x")}},
		{"who owns it on the first node", []Event{onNode("r1", "A", "", "x"), onNode("r2", "A", "", "x")}, []Event{onNode("r2", "A", "", "x")}},
		{"who owns it on the last node", []Event{onNode("r1", "A", "", "x"), onNode("r2", "A", "", "x")}, []Event{onNode("r1", "A", "", "x")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes := 1
			if strings.Contains(test.name, "node") {
				nodes = 3
			}
			bytes := func(list []Event) string {
				m := NewMonitor(Default(), nodes)
				for i, e := range list {
					e.Seq = i
					m.Observe(e)
				}
				return string(m.Canonical())
			}
			if bytes(test.one) == bytes(test.two) {
				t.Errorf("%+v and %+v\nlead to the same bytes, %q", test.one, test.two, bytes(test.one))
			}
		})
	}
	orders := [][]Event{
		{onNode("r2", "A", "", "x"), onNode("r1", "B", "", "x")}, {onNode("r1", "B", "", "x"), onNode("r2", "A", "", "x")},
	}
	var got []string
	for _, list := range orders {
		m := NewMonitor(Default(), 3)
		for _, e := range list {
			m.Observe(e)
		}
		got = append(got, string(m.Canonical()))
	}
	if got[0] != got[1] {
		t.Errorf("which node was met first makes a difference: %q", got)
	}
}
