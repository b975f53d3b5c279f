package explore

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/testsize"
	"lockstep/strategies"
)

// TestBesideRandomWorlds leads the explorer along random walks in real worlds
// of any kind: at every step it must be offered the same actions, come to the
// same state, see the same violations, and say the same of recovery. It explores
// nothing, so that it comes deep into worlds that are too large for that.
func TestBesideRandomWorlds(t *testing.T) {
	worlds := 150
	switch {
	case os.Getenv("LOCKSTEP_RUNS") != "":
		worlds = 4000
	case raced:
		worlds = 40
	}
	met := map[string]int{}
	for n := range worlds {
		rng := rand.New(rand.NewPCG(4, uint64(n)))
		w := randomWorld(t, rng)
		for range 6 {
			w.walk(t, rng, met)
		}
		w.parts.close()
	}
	t.Log(met)
	if !raced && len(met) < 7 {
		t.Errorf("the worlds are all alike: the walks met %v", met)
	}
}

// TestRandomWorlds explores worlds of any kind: what a random walk meets must be
// in the explorer's verdict, at no more than it cost the walk.
func TestRandomWorlds(t *testing.T) {
	worlds, walks, states := 30, 10, 1000
	switch {
	case os.Getenv("LOCKSTEP_RUNS") != "":
		worlds, walks, states = 300, 30, 10_000
	case raced:
		worlds, walks, states = 8, 4, 300
	}
	verdicts, met := map[Verdict]int{}, map[string]int{}
	for n := range worlds {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		w := randomWorld(t, rng)
		w.bounds.States = states
		r, err := explore(t.Context(), w.parts, w.bounds, Options{})
		if err != nil {
			t.Fatal(w.name, err)
		}
		w.report = &r
		verdict, _ := r.Verdict()
		verdicts[verdict]++
		for range walks {
			w.walk(t, rng, met)
		}
		w.parts.close()
	}
	t.Log(verdicts, met)
	if !raced && (verdicts[Violated] < worlds/8 || verdicts[Holds] < worlds/8 || len(met) < 6) {
		t.Errorf("the worlds are all alike: %v, walks met %v", verdicts, met)
	}
}

// A wilderness is a world to walk in at random, and what the explorer knows of it.
type wilderness struct {
	name   string
	lock   Lock
	config history.Config
	bounds Bounds
	parts  *parts
	report *Report // nil where it was not explored
}

func oneOf[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// mixed is a hazard of some of all faults.
func mixed(rng *rand.Rand) Hazard {
	h := Hazard{ID: "mixed", Set: lag, Bounds: Bounds{Budget: 3, Anywhere: rng.IntN(2) == 0}}
	for _, f := range slices.Concat(everyFault.Faults, clockJumps, verbs(history.Hang, history.LoseRequest, history.Flush)) {
		if rng.IntN(3) == 0 {
			h.Bounds.Faults = append(h.Bounds.Faults, f)
		}
	}
	return h
}

// randomWorld draws a lock, a hazard, and everything that either leaves open.
func randomWorld(t *testing.T, rng *rand.Rand) *wilderness {
	t.Helper()
	lock := lockOf(t, oneOf(rng, strategies.Catalogue...).ID)
	h := oneOf(rng, oneOf(rng, Hazards...), mixed(rng))
	c := h.Config(lock, oneOf(rng, []string{"A", "B"}, []string{"A", "B", "C"})...)
	c.TTL = oneOf(rng, lease, lease, history.Second, 3*history.Second)
	c.Work = oneOf(rng, c.Work, c.Work, 0, history.Second)
	c.Timeout = oneOf(rng, c.Timeout, history.Second/2, 3*history.Second)
	c.Rounds, c.Nest, c.Lag = oneOf(rng, 1, 1, 2), oneOf(rng, c.Nest, 1, 1, 2), oneOf(rng, c.Lag, c.Lag, 2)
	c.Resource, c.Stock = oneOf(rng, history.Resources...), oneOf(rng, int64(1), 1, 2, 3)
	if rng.IntN(4) == 0 && lock.Subject.Nodes == 1 && !lock.Subject.Polls {
		c.Wait, c.Poll = 2*history.Second, history.Second
	}
	b := h.Bounds
	b.Ticks, b.Anywhere = rng.IntN(5), b.Anywhere || rng.IntN(8) == 0
	b.Budget, b.Leap = rng.IntN(b.Budget+2), oneOf(rng, b.Leap, b.Leap, b.Leap, c.TTL+1)
	if b.Depth = oneOf(rng, 0, 0, 12); len(b.Faults) == 0 {
		b.Budget = 0
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s, %s: %s; %+v", lock.ID, h.ID, c, b)
	return &wilderness{name: name, lock: lock, config: c, bounds: b, parts: newParts(c, lock.Subject)}
}

// walk plays once, beside the explorer, and holds what it meets against the
// verdict, if there is one.
func (w *wilderness) walk(t *testing.T, rng *rand.Rand, met map[string]int) {
	t.Helper()
	p, err := newPlay(t.Context(), w.config, w.lock.Subject, w.bounds)
	if err != nil {
		t.Fatal(w.name, err)
	}
	defer p.close()
	led := lead(t, w)
	pick := oneOf[picker](rng, walk{rng}, newPCT(4, 20, rng))
	var actions []history.Action
	left := 1 + rng.IntN(60)
	for actions = p.allowed(); len(actions) > 0 && left > 0; actions = p.allowed() {
		if offered, want := led.offered(t), texts(actions); offered != want {
			t.Fatalf("%s: after %s the explorer is offered\n%s\nthe world offers\n%s", w.name, p.schedule(), offered, want)
		}
		a := actions[pick.pick(actions)]
		found, err := p.perform(a)
		if err != nil {
			t.Fatal(w.name, err)
		}
		if says, want := led.take(t, a), idsOf(found); says != want {
			t.Fatalf("%s: %s violates%s; the explorer says%s", w.name, p.schedule(), want, says)
		}
		if is, want := led.state(), stateOf(p.world); is != want {
			t.Fatalf("%s: %s leads to\n%s\nthe explorer comes to\n%s", w.name, p.schedule(), want, is)
		}
		for _, v := range found {
			met[v.Invariant]++
			w.holdAgainst(t, v.Invariant, p.schedule())
		}
		if left--; w.bounds.isFault(a.Verb) && rng.IntN(4) == 0 {
			left = 0 // what has just gone wrong may keep everybody out
		}
	}
	w.recovers(t, p, led, len(actions) == 0, met)
}

// recovers asks both whether the lock recovers from where a walk ended. The
// verdict is about ends and about what a fault has just led to.
func (w *wilderness) recovers(t *testing.T, p *play, led *led, ended bool, met map[string]int) {
	t.Helper()
	s := p.schedule()
	v, err := p.recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return
	}
	if err != nil {
		t.Fatal(w.name, err)
	}
	if says := led.recovers(t); says != (v == nil) {
		t.Fatalf("%s: after %s the explorer says that the lock recovers: %t", w.name, s, says)
	}
	if v != nil && len(s) > 0 && (ended || w.bounds.isFault(s[len(s)-1].Verb)) {
		met[v.Invariant]++
		w.holdAgainst(t, v.Invariant, s)
	}
}

// holdAgainst compares a schedule that violates an invariant with the verdict.
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
		if cmp.Or(cmp.Compare(r.Faults(f), w.bounds.spending(s).faults), cmp.Compare(len(f.Schedule), len(s))) > 0 {
			t.Errorf("%s: %s violates %s; the explorer calls %s shortest", w.name, s, invariant, f.Schedule)
		}
	case i >= 0:
	case r.Limit == "", r.Limit == "depth" && len(s) <= w.bounds.Depth && invariant != history.LockRecovers:
		verdict, _ := r.Verdict()
		t.Errorf("%s: %s violates %s; the explorer, with the limit %q, says %s without it", w.name, s, invariant, r.Limit, verdict)
	}
}

// A led explorer follows a walk.
type led struct {
	*search
	tuple  []int32
	orphan *orphanFinder
}

func lead(t *testing.T, w *wilderness) *led {
	e := newSearch(t.Context(), w.parts, w.bounds, Options{})
	f := &orphanFinder{search: e, known: map[string]bool{}, futures: map[string]future{}, acquires: map[int32]bool{}}
	return &led{e, e.first(), f}
}

// next calls do with everything that can follow where the explorer is.
func (l *led) next(t *testing.T, do func(s *successor, faulty bool)) {
	t.Helper()
	for _, faulty := range []bool{false, true} {
		if faulty && l.faultsOf(l.tuple) == l.bounds.Budget {
			return
		}
		if ok, err := l.learner().successors(l.tuple, faulty); !ok || err != nil {
			t.Fatal(ok, err)
		}
		for i := range l.learner().next {
			do(&l.learner().next[i], faulty)
		}
	}
}

func (l *led) offered(t *testing.T) string {
	t.Helper()
	var actions []history.Action
	l.next(t, func(s *successor, _ bool) { actions = append(actions, l.verbs.list[s.action]) })
	return texts(actions)
}

// take follows an action and returns what it violates.
func (l *led) take(t *testing.T, a history.Action) string {
	t.Helper()
	var to []int32
	var found []history.Violation
	l.next(t, func(s *successor, faulty bool) {
		if l.verbs.list[s.action] == a {
			to, found = l.follow(nil, l.tuple, s, faulty), l.foundAt(l.monitorOf(l.tuple), s)
		}
	})
	l.tuple = to
	return idsOf(found)
}

func (l *led) recovers(t *testing.T) bool {
	t.Helper()
	ok, err := l.orphan.tupleRecovers(l.tuple[:len(l.config.Clients)+1])
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// state writes the time and what the nodes store, as stateOf does.
func (l *led) state() string {
	env := l.envs.list[l.tuple[len(l.config.Clients)]]
	text := fmt.Sprintln(env.now)
	for i, id := range env.nodes {
		for _, k := range l.nodes.list[id].Keys {
			text += fmt.Sprintln(sim.NodeName(i), k.Key, k.State)
		}
	}
	return text
}

func stateOf(w *sim.World) string {
	text := fmt.Sprintln(w.Now())
	for _, k := range w.Keys() {
		text += fmt.Sprintln(k.Node, k.Key, k.State)
	}
	return text
}

func texts(actions []history.Action) string {
	var words []string
	for _, a := range actions {
		words = append(words, fmt.Sprintf("%+v", a))
	}
	slices.Sort(words)
	return strings.Join(words, "\n")
}

func idsOf(found []history.Violation) string {
	text := ""
	for _, v := range found {
		text += " " + v.Invariant
	}
	return text
}
