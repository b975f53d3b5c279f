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
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	say := func(what string) Event { return told(who + " " + what)[0] }
	switch rng.IntN(8) {
	case 0:
		if rng.IntN(6) == 0 {
			l.where[who] = "dead"
			return say(pick("crashes", "panics"))
		}
		if value := l.keys[node]; value != "" && l.config.Lag == 0 {
			l.keys[node] = ""
			return told(node + " " + value + ">")[0]
		}
		return []Event{{Kind: Clock, By: 5}, told(node + " wipes")[0], say("hangs"), say("quits")}[rng.IntN(4)]
	case 1, 2:
		if l.where[who] == "dead" {
			return Event{Kind: Clock, By: 1}
		}
		before, after := l.keys[node], pick("", who, who+"2", "T")
		if before == after {
			return Event{Kind: Apply, Client: who, Node: node, Token: before}
		}
		l.keys[node] = after
		e := say(node + " " + before + ">" + after)
		e.Token = pick("", before)
		return e
	}
	return l.round(rng, who)
}

// round is the client's own next step.
func (l *teller) round(rng *rand.Rand, who string) Event {
	to := func(where, what string) Event {
		l.where[who] = where
		return told(who + " " + what)[0]
	}
	n := rng.IntN(4)
	switch l.where[who] {
	case "":
		return to("acquiring", "asks")
	case "acquiring":
		switch n {
		case 0:
			return to("", "is refused")
		case 1:
			return to("", "fails")
		case 2:
			return Event{Kind: Sleep, Client: who, Strand: rng.IntN(2)}
		}
		return to("holding", "is acquired")
	case "holding":
		if n == 0 {
			return to("releasing", "returns")
		}
		l.saw[who] = 0
		return to("inside", "enters")
	case "inside":
		switch n {
		case 0:
			return to("holding", "leaves")
		case 1:
			l.saw[who] = l.stock[1]
			return to("inside", fmt.Sprintf("reads %d %d", l.stock[0], l.stock[1]))
		}
		l.stock = [2]int64{l.stock[0] - 1, l.stock[1] + 1}
		return to("inside", fmt.Sprintf("stores %d %d %d", l.stock[0], l.stock[1], l.saw[who]))
	case "releasing":
		return to("", []string{"is released", "is lost"}[rng.IntN(2)])
	}
	return Event{Kind: Clock, By: 1} // the dead do nothing
}

// tellings calls f with random beginnings of histories of a few worlds.
func tellings(f func(seed uint64, l *teller, m *Monitor, nodes []string, rng *rand.Rand)) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := Default()
		c.Stock, c.Lag, c.TTL = 3, int(seed/3%2)*2, 12
		nodes := []string{"r1", "r2", "r3"}[:1+seed%3/2*2]
		m := NewMonitor(c, len(nodes))
		if seed%5 == 0 {
			m.KeepLosses()
		}
		f(seed, newTeller(c), m, nodes, rng)
	}
}

// foundIn is what a monitor finds at an event, whatever the numbers of the events and, as a
// state does not keep it, whose write was lost.
func foundIn(m *Monitor, e Event) (out []string) {
	for _, v := range m.Observe(e) {
		out = append(out, fmt.Sprintln(v.Invariant, v.Client, v.Detail))
		if m.losses {
			out = append(out, fmt.Sprintln(v.Lost))
		}
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
			key := fmt.Sprintf("%d %d %v %t %q", len(nodes), l.config.Lag, l, m.losses, m.Canonical())
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
				if x, y := foundIn(a, e), foundIn(b, e); !slices.Equal(x, y) {
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
	const a = "A acquires r1, "
	for _, test := range []struct{ name, one, two string }{
		{"who is alive", a, a + "A crashes"},
		{"who is acquiring", "", "A asks"},
		{"who is inside", a, a + "A enters"},
		{"who is inside, beside one who acquires", a + "A asks", a + "A asks, A enters"},
		{"who is inside without the lock", a + "r1 A>", a + "A enters, r1 A>"},
		{"whose belief is known to be wrong", a, a + "r1 A>, r1 >A"},
		{"who has been refused by its own key", a + "A asks", a + "A asks, A sleeps"},
		{"how often it holds", a, a + "A asks, A is acquired"},
		{"what it has read", a, a + "A reads 1"},
		{"what it has overwritten", a + "B asks, C r1 A>B", a + "B asks, B r1 A>B"},
		{"what it has acquired with", a + "r1 A>", "A asks, A r1 >T, A is acquired, r1 T>"},
		{"what it has acquired with, as it gives it back", a + "r1 A>, A returns", "A asks, A r1 >T, A is acquired, r1 T>, A returns"},
		{"whose key it takes for its own", a + "r1 A>, B asks, B r1 >A", a + "r1 A>, B asks, B r1 >A, A r1 A"},
		{"the version", "A stores 0 1 0", "A stores 0 2 0"},
		{"how often it was written", "A stores 0 1 0, A reads 0", "A reads 1, A stores 0 1 0, A reads 0"},
		{"how much is left", "A stores 0 1 0", "A stores -1 1 0"},
		{"whether the lease that it overwrote was over", "A acquires r1, B asks, B r1 A>B, 5000 later", "A acquires r1, B asks, 5000 later, B r1 A>B"},
		{"how old the lease is", a + "3000 later", a},
		{"who owns the key", "A r1 >x", "B r1 >x"},
		{"the token in the key", "A r1 >x", "A r1 >y"},
		{"who owns it on the first node", "A r1 >x, A r2 >x", "A r2 >x"},
		{"who owns it on the last node", "A r1 >x, A r2 >x", "A r1 >x"},
	} {
		nodes := 1
		if strings.Contains(test.name, "node") {
			nodes = 3
		}
		bytes := func(phrases string) []byte {
			m := NewMonitor(observed(t, "", nodes, "").config, nodes)
			if strings.Contains(test.name, "lease") {
				m.KeepLosses()
			}
			for _, e := range told(phrases) {
				m.Observe(e)
			}
			return m.Canonical()
		}
		one, two := bytes(test.one), bytes(test.two)
		if string(one) == string(two) {
			t.Errorf("%s: %s and %s\nlead to the same bytes, %q", test.name, test.one, test.two, one)
		}
	}
	over := func(token string) string {
		return string(observed(t, "", 1, "A asks, A r1 >"+token+", A is acquired, r1 "+token+">, A returns, A is lost").Canonical())
	}
	if over("T") != over("U") {
		t.Error("what it had acquired with before makes a difference")
	}
	one, two := observed(t, "", 3, "A r2 >x, B r1 >x").Canonical(), observed(t, "", 3, "B r1 >x, A r2 >x").Canonical()
	if string(one) != string(two) {
		t.Errorf("which node was met first makes a difference: %q, %q", one, two)
	}
}
