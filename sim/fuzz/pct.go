package fuzz

import (
	"math"
	"math/rand/v2"

	"lockstep/sim/history"
)

// pct is the scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatte, "A
// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs" (ASPLOS
// 2010; MSR-TR-2010-3). Every actor has a random priority, and the highest
// enabled one acts. At d-1 random choices the actor that would act falls below
// all that have not fallen: at the i-th drawn choice to priority i.
//
// A bug has depth d if d orders between pairs of actions suffice to cause it.
// If the runs have n actors and k choices, one run finds a bug of depth d with
// a probability of at least 1/(n*k^(d-1)). The actors are those of this
// package: strands, time, and each fault of a target. It also counts as an
// order that one actor does not use up the bounds before another needs them,
// and so adds to a bug's depth.
//
// A choice is a moment at which more than one actor can act; other steps do not
// count. An actor that appears during a run gets a random priority.
//
// The scheduler is unfair: an actor of low priority may never act. So the
// absence of an event in a run means nothing.
type pct struct {
	falls    []int // the choices at which an actor falls, from 1, in the order drawn
	priority map[actor]int64
	choice   int
	rng      *rand.Rand
}

func newPCT(depth, choices int, rng *rand.Rand) *pct {
	p := &pct{priority: map[actor]int64{}, rng: rng}
	for range depth - 1 {
		p.falls = append(p.falls, 1+rng.IntN(max(1, choices)))
	}
	return p
}

func (p *pct) pick(actions []history.Action) int {
	for _, a := range actions {
		if _, known := p.priority[actorOf(a)]; !known {
			p.priority[actorOf(a)] = p.rng.Int64() // never negative
		}
	}
	if len(actions) == 1 {
		return 0
	}
	p.choice++
	next := p.highest(actions)
	for i, at := range p.falls {
		if at == p.choice {
			p.priority[actorOf(actions[next])] = int64(i - len(p.falls))
			next = p.highest(actions)
		}
	}
	return next
}

func (p *pct) highest(actions []history.Action) int {
	best := 0
	for i, a := range actions {
		if p.priority[actorOf(a)] > p.priority[actorOf(actions[best])] {
			best = i
		}
	}
	return best
}

// pctBound returns the minimum probability with which r runs of PCT find a bug
// of depth d that shows within the first k choices of a run with n actors:
// 1-(1-1/(n*k^(d-1)))^r.
func pctBound(n, k, d, r int) float64 {
	if r < 1 || n < 1 || d < 1 {
		return 0
	}
	once := 1 / (float64(n) * math.Pow(float64(max(1, k)), float64(d-1)))
	return -math.Expm1(float64(r) * math.Log1p(-once))
}
