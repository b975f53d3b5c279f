package fuzz

import (
	"math/rand/v2"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// Picking is how a hunt picks what happens next.
type Picking string

// The ways to pick.
const (
	PCT  Picking = "pct"  // by random priorities that change at a few random moments; see pct
	Walk Picking = "walk" // every allowed action is equally likely
	URW  Picking = "urw"  // whoever has more yet to do is more likely; see urw
)

// Pickings lists them in the order in which they are shown.
func Pickings() []Picking {
	return []Picking{PCT, Walk, URW}
}

// A picker picks what happens next in one run.
type picker interface {
	// pick returns the place of one of the actions, of which there is at least
	// one. The actor that takes it is the only one that moves.
	pick(actions []history.Action) int
}

// A gauge is how large runs are: the most that was seen in any of them.
type gauge struct {
	actors  int           // in one run: those who could act at some time
	choices int           // in one run: moments at which more than one actor could act
	steps   map[actor]int // of a strand in one run
}

// widen makes room for what another gauge has seen.
func (g *gauge) widen(o gauge) {
	g.actors, g.choices = max(g.actors, o.actors), max(g.choices, o.choices)
	if g.steps == nil {
		g.steps = map[actor]int{}
	}
	for who, n := range o.steps {
		g.steps[who] = max(g.steps[who], n)
	}
}

// newPicker returns the picker of a run within b, given what the runs before
// tell of its size.
func (o *Options) newPicker(b explore.Bounds, g gauge, rng *rand.Rand) picker {
	switch o.Pick {
	case PCT:
		return newPCT(o.BugDepth, g.choices, rng)
	case URW:
		return &urw{bounds: b, most: g.steps, steps: map[actor]int{}, rng: rng}
	}
	return walk{rng}
}

// walk is the uniform random walk.
type walk struct{ rng *rand.Rand }

func (w walk) pick(actions []history.Action) int { return w.rng.IntN(len(actions)) }

// inTurn lets the strand go on that took the fewest steps so far, and time pass
// where no strand can take a step. It measures what a run is like, before
// anything is known.
type inTurn struct{ steps map[actor]int }

func (t inTurn) pick(actions []history.Action) int {
	next := 0 // steps come first in the list
	for i, a := range actions {
		if a.Verb == history.Step && t.steps[actorOf(a)] < t.steps[actorOf(actions[next])] {
			next = i
		}
	}
	t.steps[actorOf(actions[next])]++
	return next
}

// check says what is wrong with options, if anything is.
func (o *Options) check() error {
	switch {
	case o.Pick != PCT && o.Pick != Walk && o.Pick != URW:
		return lang.Errorf("hunt: no way to pick is called %q; %s, %s and %s are", o.Pick, PCT, Walk, URW)
	case o.Runs < 1:
		return lang.Errorf("hunt: %d runs; use at least 1", o.Runs)
	case o.Pick == PCT && o.BugDepth < 1:
		return lang.Errorf("hunt: bugs of depth %d; use at least 1", o.BugDepth)
	}
	return nil
}

// swarm draws the bounds of one run: each fault with a chance of one half, and
// of the budget any part. Where everything may go wrong, it goes wrong early and
// in the same ways; see Groce, Zhang, Eide, Chen and Regehr, "Swarm Testing"
// (ISSTA 2012).
func swarm(b explore.Bounds, rng *rand.Rand) explore.Bounds {
	all := b.Faults
	b.Faults = nil
	for _, f := range all {
		if rng.IntN(2) == 0 {
			b.Faults = append(b.Faults, f)
		}
	}
	b.Budget = rng.IntN(b.Budget + 1)
	return b
}

// urw is the uniform random walk over interleavings, the part without
// selection of SURW (Zhao, Wolff, Mathur and Roychoudhury, "Selectively Uniform
// Concurrency Testing", ASPLOS 2025). An actor is picked with a probability
// proportional to what it has yet to do. If that were known, and nobody waited
// for anybody, every interleaving would be equally likely; a walk prefers those
// in which the actors with less to do are done early.
//
// What a strand has yet to do is estimated: the most steps that it took in any
// earlier run, less those it took in this one, and at least one. Time has yet
// to do what is left of the ticks. The faults have yet to do what is left of
// the budget, all of them together, in equal parts.
type urw struct {
	bounds explore.Bounds
	spent  explore.Spending
	most   map[actor]int // is not changed
	steps  map[actor]int
	rng    *rand.Rand
}

func (u *urw) pick(actions []history.Action) int {
	next := u.draw(u.weights(actions))
	a := actions[next]
	u.spent.Add(u.bounds, a)
	u.steps[actorOf(a)]++
	return next
}

// weights are in parts of one event: there are as many parts as faults, so that
// a fault's share is a whole number.
func (u *urw) weights(actions []history.Action) []int {
	parts := 0
	for _, a := range actions {
		if u.bounds.IsFault(a.Verb) {
			parts++
		}
	}
	parts = max(1, parts)
	weights := make([]int, len(actions))
	for i, a := range actions {
		switch {
		case a.Verb.IsTime():
			weights[i] = parts * (u.bounds.Ticks - u.spent.Ticks)
		case u.bounds.IsFault(a.Verb):
			weights[i] = u.bounds.Budget - u.spent.Faults
		default:
			weights[i] = parts * max(1, u.most[actorOf(a)]-u.steps[actorOf(a)])
		}
	}
	return weights
}

func (u *urw) draw(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	left := u.rng.IntN(total)
	for i, w := range weights {
		if left -= w; left < 0 {
			return i
		}
	}
	return len(weights) - 1 // not reached
}
