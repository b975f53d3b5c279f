package explore

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/strategies"
)

// TestRandomWorlds leads the explorer along random walks in real worlds, deep into worlds
// that are too large to be explored. At every step, both must offer the same actions, be in the
// same state, have the same violations and agree on recovery. Each third world is explored too: the
// verdict must include what a walk finds, at no higher cost.
func TestRandomWorlds(t *testing.T) {
	t.Parallel()
	worlds, walks, states := testkit.Size(t, 21, 12), 10, 1000
	if raced {
		walks, states = 4, 300
	}
	verdicts, met := map[Verdict]int{}, map[string]int{}
	for n := range worlds {
		rng := rand.New(rand.NewPCG(9, uint64(n)))
		h := oneOf(rng, Hazards()...)
		if n%3 > 0 {
			h = oneOf(rng, h, mixed(rng))
		}
		w := randomWorld(t, rng, h)
		if n%3 == 0 {
			w.bounds.States = states
			r, err := Explore(t.Context(), w.config, w.lock.Subject, w.bounds, Options{})
			if err != nil {
				t.Fatal(w.name, err)
			}
			w.report = &r
			verdict, _ := r.Verdict()
			verdicts[verdict]++
		}
		for range walks {
			w.walk(t, oneOf(rng, uniform(rng), favourites(rng)), 1+rng.IntN(60), met)
		}
		w.model.Close()
	}
	t.Log(verdicts, met)
	if !raced && (verdicts[Violated] < worlds/24 || verdicts[Holds] < worlds/24 || len(met) < 7) {
		t.Errorf("the worlds are all alike: %v, walks met %v", verdicts, met)
	}
}

// TestBesideSchedules leads the explorer along rare schedules: what remains of
// a request, a WATCH or a sleep after another fault.
func TestBesideSchedules(t *testing.T) {
	for _, tt := range []struct{ lock, schedule string }{
		{"set-lua", "A A.send tick A r1.restart B"},                 // ends the late request
		{"set-lua", "A A.send tick A A.cut:r1 B"},                   // so does a cut
		{"set-lua", "A A.send tick A A.crash A.late B B"},           // but not a crash
		{"set-lua", "A A.send A.crash A.late B B"},                  // nor the crash of its waiting sender
		{"set-lua", "A A.apply A.cut:r1 tick A A.heal:r1"},          // nothing remains of a reply
		{"set-lua", "A A.cut:r1 r1.down A tick A"},                  // a cut hides that the node is down
		{"set-lua", "A A.apply r1.restart A"},                       // a reply in transit
		{"set-lua", "A r1.slow A.lose-request tick A"},              // loses what would be late anyway
		{"set-lua", "A A.jump+10000 A.jump+10000 A.jump-10000 A*9"}, // jumps add up
		{"getset-timestamp", "A A.jump+10000 A.jump+10000 A*3 B*4"}, // and are visible
		{"redlock", "A*2 A.send tick A r2.restart A.late"},          // of another node, it remains
		{"redlock", "A*2 A.cut:r1 A.cut:r2 A.heal:r2 A tick A*2"},   // one link heals
		{"watch-del", "A*9 r1.restart A*3"},                         // a WATCH ends with its node
		{"watch-del", "A*9 A.crash B*7"},                            // or with its client
		{"watch-del", "A*9 A.send tick A r1.restart B*4"},           // even with a late request
		{"watchdog-lua", "A*3 A.hang tick A/1 A/1 B*3"},             // the watchdog lives on
		{"watchdog-lua", "A*3 A.rate+250 A/1*2 tick*2 A/1*2"},       // a sleep takes longer
		{"set-lua", "r1.rate+4000 A*3 tick r1.rate+250 B*3 tick"},   // deadlines follow a node's clock
		{"set-lua", "A*3 r1.promote+1 B*3"}, {"set-lua", "A*2 tick r1.promote+1 B*3"},
	} {
		t.Run(tt.lock+" "+tt.schedule, func(t *testing.T) {
			lock := lockOf(t, tt.lock)
			c := Hazard{Set: lag}.Config(lock, "A", "B")
			c.Rounds, c.Work = 2, 0
			s := testkit.Must(history.ParseSchedule(tt.schedule))(t)
			b := Bounds{Faults: slices.Concat(everyFault.Faults, ofClientClocks, verbs(history.Hang, history.LoseRequest)), Budget: 4, Ticks: 9, Anywhere: true}
			w := &wilderness{name: tt.lock, lock: lock, config: c, bounds: b, model: model.New(t.Context(), c, lock.Subject, true)}
			defer w.model.Close()
			w.walk(t, prescribed(t, s), len(s), map[string]int{})
		})
	}
}

// A wilderness is a world for random walks, and the explorer's report on it.
type wilderness struct {
	name   string
	lock   Lock
	config history.Config
	bounds Bounds
	model  *model.Model
	report *Report // nil if it was not explored
}

func oneOf[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// mixed is a hazard of many faults of a random selection, so that faults meet
// the effects of others.
func mixed(rng *rand.Rand) Hazard {
	h := Hazard{ID: "mixed", Set: lag, Bounds: Bounds{Budget: 7, Anywhere: rng.IntN(2) == 0}}
	for _, f := range slices.Concat(everyFault.Faults, ofClientClocks, verbs(history.Hang, history.LoseRequest, history.Flush)) {
		if rng.IntN(3) == 0 {
			h.Bounds.Faults = append(h.Bounds.Faults, f)
		}
	}
	return h
}

// randomWorld draws a lock, and all that it and a hazard leave open.
func randomWorld(t *testing.T, rng *rand.Rand, h Hazard) *wilderness {
	t.Helper()
	lock := lockOf(t, oneOf(rng, strategies.Catalogue()...).ID)
	c := h.Config(lock, oneOf(rng, []string{"A", "B"}, []string{"A", "B", "C"})...)
	c.TTL = oneOf(rng, lease, lease, history.Second, 3*history.Second)
	c.Work = oneOf(rng, c.Work, c.Work, 0, history.Second)
	c.Timeout = oneOf(rng, c.Timeout, history.Second/2, 3*history.Second)
	c.Rounds, c.Nest, c.Lag = oneOf(rng, 1, 1, 2), oneOf(rng, c.Nest, 1, 1, 2), oneOf(rng, c.Lag, c.Lag, 2)
	c.Resource, c.Stock = oneOf(rng, history.Resources()...), oneOf(rng, int64(1), 1, 2, 3)
	if rng.IntN(4) == 0 && lock.Subject.Nodes == 1 && !lock.Subject.Polls {
		c.Wait, c.Poll = 2*history.Second, history.Second
	}
	b := h.Bounds
	b.Ticks, b.Anywhere = rng.IntN(5), b.Anywhere || rng.IntN(8) == 0
	b.Budget, b.Leap = rng.IntN(b.Budget+2), oneOf(rng, b.Leap, b.Leap, b.Leap, c.TTL+1)
	if b.Depth = oneOf(rng, 0, 0, 12); len(b.Faults) == 0 {
		b.Budget = 0
	}
	testkit.OK(t, c.Check())
	name := fmt.Sprintf("%s, %s: %s; %+v", lock.ID, h.ID, c, b)
	return &wilderness{name: name, lock: lock, config: c, bounds: b, model: model.New(t.Context(), c, lock.Subject, true)}
}

// walk plays once beside the explorer and compares what it finds with the
// verdict, if there is one. It ends after a number of actions.
func (w *wilderness) walk(t *testing.T, pick walker, left int, met map[string]int) {
	t.Helper()
	p := w.live(t)
	defer p.Close()
	led := lead(t, w)
	var actions []history.Action
	for actions = p.allowed(); len(actions) > 0 && left > 0; actions = p.allowed() {
		offered, want := led.offered(t), texts(actions)
		if len(led.spinning) > 0 {
			return // only the explorer knows that time passes meanwhile
		}
		if offered != want {
			t.Fatalf("%s: after %s the explorer is offered\n%s\nthe world offers\n%s", w.name, p.schedule(), offered, want)
		}
		a := actions[pick(actions)]
		found, err := p.take(a)
		if err != nil {
			t.Fatal(w.name, err)
		}
		if got, want := led.take(t, a), idsOf(led.setOf(found)); got != want {
			t.Fatalf("%s: %s violates%s; the explorer says%s", w.name, p.schedule(), want, got)
		}
		if is, want := led.state(), stateOf(p.World); is != want {
			t.Fatalf("%s: %s leads to\n%s\nthe explorer comes to\n%s", w.name, p.schedule(), want, is)
		}
		for _, v := range found {
			met[v.Invariant]++
			w.holdAgainst(t, v.Invariant, p.schedule())
		}
		left--
	}
	judge.Agree(t, p.History()) // before the probe tries to acquire the lock
	w.recovers(t, p, led, len(actions) == 0, met)
}

// recovers asks both whether the lock recovers from the end of a walk. The
// verdict covers ends and states right after a fault.
func (w *wilderness) recovers(t *testing.T, p live, led *led, ended bool, met map[string]int) {
	t.Helper()
	s := p.schedule()
	ok, _, err := p.Recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return
	}
	if err != nil {
		t.Fatal(w.name, err)
	}
	if got := led.recovers(t); got != ok {
		t.Fatalf("%s: after %s the explorer says that the lock recovers: %t", w.name, s, got)
	}
	if !ok && len(s) > 0 && (ended || w.bounds.IsFault(s[len(s)-1].Verb)) {
		met[history.LockRecovers]++
		w.holdAgainst(t, history.LockRecovers, s)
	}
}

// holdAgainst compares a counterexample with the verdict.
func (w *wilderness) holdAgainst(t *testing.T, invariant string, s history.Schedule) {
	t.Helper()
	r := w.report
	if r == nil {
		return
	}
	i := slices.IndexFunc(r.Found, func(f Found) bool { return f.Violation.Invariant == invariant })
	switch {
	case i >= 0 && r.Found[i].Shortest:
		f := &r.Found[i]
		if cmp.Or(cmp.Compare(r.Faults(f), w.bounds.Spending(s).Faults), cmp.Compare(len(f.Schedule), len(s))) > 0 {
			t.Errorf("%s: %s violates %s; the explorer calls %s shortest", w.name, s, invariant, f.Schedule)
		}
	case i >= 0:
	case r.Limit == "", r.Limit == "depth" && len(s) <= w.bounds.Depth && invariant != history.LockRecovers:
		verdict, _ := r.Verdict()
		t.Errorf("%s: %s violates %s; the explorer, with the limit %q, says %s without it", w.name, s, invariant, r.Limit, verdict)
	}
}
