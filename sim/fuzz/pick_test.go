package fuzz

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// order lets actors with numbers of steps act as a picker picks them, and
// returns the order of actors.
func order(p picker, steps map[string]int) string {
	left := map[string]int{}
	var names []string
	for name, n := range steps {
		left[name] = n
		names = append(names, name)
	}
	slices.Sort(names)
	text := ""
	for {
		var actions []history.Action
		for _, name := range names {
			if left[name] > 0 {
				actions = append(actions, history.Action{Verb: history.Step, Client: name})
			}
		}
		if len(actions) == 0 {
			return text
		}
		a := actions[p.pick(actions)]
		left[a.Client]--
		text += a.Client
	}
}

// orders counts the orders of many runs.
func orders(runs int, newPicker func(*rand.Rand) picker, steps map[string]int) map[string]int {
	times := map[string]int{}
	for n := range runs {
		times[order(newPicker(rand.New(rand.NewPCG(1, uint64(n)))), steps)]++
	}
	return times
}

// TestPCTKeepsItsPromise: orders within the depth occur at least as often as
// promised, and orders beyond it never.
func TestPCTKeepsItsPromise(t *testing.T) {
	testkit.Single(t)
	const runs = 20_000
	steps := map[string]int{"A": 3, "B": 3}
	const actors, choices = 2, 5 // at the last step only one actor is left
	for _, tt := range []struct {
		depth int
		order string
		never bool
	}{
		{1, "AAABBB", false}, {1, "BBBAAA", false}, {1, "AABBBA", true},
		{2, "AABBBA", false}, {2, "ABBBAA", false}, {2, "BAAABB", false}, {2, "AABBAB", true},
		{3, "AABBAB", false}, {3, "BAABBA", false}, {3, "ABABAB", true},
	} {
		got := orders(runs, func(rng *rand.Rand) picker { return newPCT(tt.depth, choices, rng) }, steps)[tt.order]
		want := runs * pctBound(actors, choices, tt.depth, 1)
		if tt.never {
			want = 0
		}
		if tt.never && got > 0 || float64(got) < 0.9*want {
			t.Errorf("depth %d: %s came up %d times, want %.0f", tt.depth, tt.order, got, want)
		}
	}
}

// TestPCTNewcomers: an actor that appears during a run is as likely above the
// others as below.
func TestPCTNewcomers(t *testing.T) {
	const runs = 3000
	above := 0
	for n := range runs {
		p := newPCT(1, 1, rand.New(rand.NewPCG(2, uint64(n))))
		a, b, late := history.Action{Client: "A"}, history.Action{Client: "B"}, history.Action{Client: "C"}
		p.pick([]history.Action{a, b})
		if p.pick([]history.Action{a, b, late}) == 2 {
			above++
		}
	}
	if above < runs*30/100 || above > runs*37/100 {
		t.Errorf("a newcomer of three acts first in %d of %d runs", above, runs)
	}
}

// TestPCTCountsChoices: steps without an alternative are not choices, so either
// actor may fall at the first choice.
func TestPCTCountsChoices(t *testing.T) {
	a, b := history.Action{Client: "A"}, history.Action{Client: "B"}
	fell := map[history.Action]int{}
	for n := range 100 {
		p := newPCT(2, 1, rand.New(rand.NewPCG(1, uint64(n))))
		for range 3 {
			p.pick([]history.Action{a})
		}
		actions := []history.Action{a, b}
		fell[actions[1-p.pick(actions)]]++
	}
	if fell[a] < 30 || fell[b] < 30 {
		t.Errorf("%v", fell)
	}
}

func TestInTurn(t *testing.T) {
	if got := order(inTurn{map[actor]int{}}, map[string]int{"A": 2, "B": 4, "C": 3}); got != "ABCABCBCB" {
		t.Error(got)
	}
	tick := []history.Action{{Verb: history.Tick}}
	if got := (inTurn{map[actor]int{}}).pick(append([]history.Action{{Verb: history.Step, Client: "A"}}, tick...)); got != 0 {
		t.Error("time passes though somebody can take a step")
	}
}

func TestPCTBound(t *testing.T) {
	for _, tt := range []struct {
		n, k, d, r int
		want       float64
	}{
		{3, 40, 2, 1, 1.0 / 120}, {3, 40, 3, 1, 1.0 / 4800}, {5, 9, 1, 1, 0.2}, {1, 9, 1, 1, 1},
		{2, 1, 1, 2, 0.75}, {2, 2, 2, 3, 1 - 27.0/64}, {3, 40, 2, 0, 0}, {0, 1, 1, 1, 0},
	} {
		if got := pctBound(tt.n, tt.k, tt.d, tt.r); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: %g", tt, got)
		}
	}
}

// TestBound: the bound is of the latest runs with the same number of choices. The first run
// has none.
func TestBound(t *testing.T) {
	t.Parallel()
	r := large.hunt(t, t.Context(), Options{Runs: 30, Jobs: 2})
	p, ok := Bound(r.Hunt)
	w := r.Hunt.Promise
	if !ok || p != pctBound(w.Actors, w.Choices, 3, w.Runs) || p <= 0 || p >= 1 {
		t.Errorf("%g, %v", p, ok)
	}
	if w.Actors != 4 || w.Runs < 1 || w.Runs > 29 || w.Choices > w.Longest {
		t.Errorf("%+v", w) // three clients and time
	}
	r = large.hunt(t, t.Context(), Options{Runs: 1})
	if p, ok := Bound(r.Hunt); ok || p != 0 {
		t.Errorf("of one run: %g", p)
	}
}
