package explore

import (
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/model"
)

// TestAssumptions: the line names every bound and nothing else.
func TestAssumptions(t *testing.T) {
	const waits, never = "when no client that has begun can take a step", "no fault"
	spins := []model.Spin{{Client: "A", Rounds: 1001}, {Client: "B", Rounds: 1000}}
	for _, c := range []struct {
		r    Report
		text string // after the configuration
	}{
		{Report{}, never + "; time passes to the next deadline " + waits + ", at most 0 times"},
		{Report{Bounds: Bounds{Budget: 1, Ticks: 2, Faults: []history.Action{
			{Verb: history.Crash}, {Verb: history.Promote, By: 1}, {Verb: history.Rate, By: 250}, {Verb: history.Jump, By: -10 * history.Second},
		}}}, "at most 1 of: crash, promote missing=1, rate 0.25, jump -10s; time passes to the next deadline " + waits + ", at most 2 times"},
		{Report{Bounds: Bounds{Anywhere: true}}, never + "; time passes to the next deadline at any moment, at most 0 times"},
		{Report{Bounds: Bounds{Leap: 1}}, never + "; time passes to the next deadline, or by 1ms where there is none, " + waits + ", at most 0 times"},
		{Report{Bounds: Bounds{Leap: 1, Anywhere: true, Depth: 1, States: 1}}, never + "; time passes to the next deadline, or by 1ms where there is none, at any moment, at most 0 times; at most 1 actions; at most 1 states"},
		{Report{Bounds: Bounds{Anywhere: true, States: 2, Unbroken: 1}}, never + "; time passes to the next deadline at any moment, at most 0 times; at most 2 states once something is violated, and 1 until then"},
		{Report{Bounds: Bounds{Anywhere: true, Unbroken: 1}}, never + "; time passes to the next deadline at any moment, at most 0 times"},
		{Report{Bounds: Bounds{Anywhere: true}, Spins: spins}, never + "; time passes to the next deadline at any moment, at most 0 times; code that does the same 1000 times over goes on so, and time passes meanwhile, by 0s where there is no deadline"},
		{Report{Bounds: Bounds{Anywhere: true, Leap: 1}, Spins: spins}, never + "; time passes to the next deadline, or by 1ms where there is none, at any moment, at most 0 times; code that does the same 1000 times over goes on so, and time passes meanwhile"},
		{Report{Bounds: Bounds{Anywhere: true, Memory: 3 << 20}}, never + "; time passes to the next deadline at any moment, at most 0 times"},
		{Report{Bounds: Bounds{Anywhere: true, Memory: 3 << 20}, Limit: OutOfMemory}, never + "; time passes to the next deadline at any moment, at most 0 times; at most 3.0 MiB of memory"},
	} {
		got := c.r.Assumptions().String()
		if _, text, _ := strings.Cut(got, "; "); text != c.text {
			t.Errorf("%+v:\n%s\nwant\n%s", c.r.Bounds, text, c.text)
		}
	}
}

// TestVacuous: a report is VACUOUS if and only if the hazard's subject never
// happened.
func TestVacuous(t *testing.T) {
	all := Counts{Refused: 1, Expired: 1, Nested: 1, Scripts: 1, Clocks: 1, Leaps: 1, Renewal: Renewal{Lease: 5000, Every: 1000}, Faults: map[history.Verb]int{}}
	for _, v := range history.Verbs() {
		all.Faults[v] = 1
	}
	for _, h := range Hazards() {
		r := Report{Hazard: h.ID, Counts: all}
		if v, why := r.Verdict(); v != Holds {
			t.Errorf("%s: %s, %v", h.ID, v, why)
		}
		r.Counts = Counts{Faults: map[history.Verb]int{}}
		if v, why := r.Verdict(); v != Vacuous || why.None() {
			t.Errorf("%s, where nothing happened: %s, %v", h.ID, v, why)
		}
	}
	for _, c := range []struct {
		hazard string
		counts Counts
		want   Verdict
		text   string
	}{
		{"contention", Counts{Failed: 2}, Vacuous, "nobody was ever refused: what Lock returned, 2 times"},
		{"contention", Counts{}, Vacuous, "nobody was ever refused"},
		{"contention", Counts{Failed: 2, Waited: 1}, Holds, ""},
		{"overrun", Counts{Leaps: 1}, Holds, ""},
		{"overrun", Counts{Expired: 1}, Holds, ""},
		{"client-clock", Counts{Clocks: 1}, Vacuous, "jump was never possible"},
		{"script-flush", Counts{Scripts: 1}, Vacuous, "flush was never possible"},
		{"long-work", Counts{Renewal: Renewal{Lease: 5000, Every: 312}}, Vacuous, "the lock renews every 312ms"}, // 16 times are 4.992 s
		{"long-work", Counts{Renewal: Renewal{Lease: 5000, Every: 313}}, Holds, ""},
	} {
		r := Report{Hazard: c.hazard, Counts: c.counts}
		v, why := r.Verdict()
		if v != c.want || !strings.HasPrefix(why.String(), c.text) || c.text == "nobody was ever refused" && why.String() != c.text {
			t.Errorf("%s %+v: %s, %q", c.hazard, c.counts, v, why)
		}
	}
}

// TestMissingOnZooKeeper: overrun is a pause there, and no lease ends.
func TestMissingOnZooKeeper(t *testing.T) {
	for paused, want := range map[int]Verdict{0: Vacuous, 1: Holds} {
		r := Report{Hazard: "overrun", Server: sim.ZooKeeper, Counts: Counts{Faults: map[history.Verb]int{history.Pause: paused}}}
		if v, why := r.Verdict(); v != want {
			t.Errorf("%d pauses: %s, %v", paused, v, why)
		}
	}
}

// TestConfigOfAHazard: a lock that polls or asks several nodes does not retry.
func TestConfigOfAHazard(t *testing.T) {
	h, _ := FindHazard("lost-reply")
	for nodes, wait := range map[int]bool{0: true, 1: true, 2: false, 5: false} {
		l := Lock{ID: "l"}
		l.Subject.Nodes = nodes
		if c := h.Config(l, "A", "B"); (c.Wait > 0) != wait || (c.Nodes == fewNodes) != (nodes > 1) {
			t.Errorf("%d nodes: %+v", nodes, c)
		}
	}
	l := Lock{ID: "l"}
	l.Subject.Polls = true
	if c := h.Config(l, "A", "B"); c.Wait != 0 {
		t.Errorf("a lock that polls: %+v", c)
	}
}

// TestWorst: the gravest harm comes first, then the fewest faults, then the fewest actions;
// what a contract allows does not count.
func TestWorst(t *testing.T) {
	step := history.Action{Verb: history.Step, Client: "A"}
	crash := history.Action{Verb: history.Crash, Client: "A"}
	found := func(invariant string, s ...history.Action) Found {
		return Found{Violation: history.Violation{Invariant: invariant}, Schedule: s}
	}
	for _, tt := range []struct {
		name string
		list []Found
		want int
	}{
		{"none", nil, -1},
		{"harm before cost", []Found{found(history.MutualExclusion, step), found(history.StaleWrite, step, step, step)}, 1},
		{"faults before steps", []Found{found(history.StaleWrite, crash, step), found(history.LostUpdate, step, step, step)}, 1},
		{"steps", []Found{found(history.LockRecovers, step, step), found(history.LostWakeup, step)}, 1},
		{"for ever before a lease", []Found{found(history.SelfDeadlock, step), found(history.LockRecovers, step, step)}, 1},
		{"equals in order", []Found{found(history.ForeignRelease, step), found(history.Leak, step)}, 0},
	} {
		r := Report{Found: tt.list, Bounds: Bounds{Faults: []history.Action{crash}, Budget: 1}}
		got := r.Worst()
		if tt.want < 0 && got != nil || tt.want >= 0 && got != &r.Found[tt.want] {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	r := Report{Found: []Found{found(history.MutualExclusion, step), found(history.Leak, step)}}
	r.Found[0].Allowed = "as agreed"
	if got := r.Worst(); got != &r.Found[1] {
		t.Errorf("what is allowed is the worst: %+v", got)
	}
}
