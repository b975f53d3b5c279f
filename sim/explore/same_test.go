package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// said is what a report says that must depend on the question alone.
func said(r Report) string {
	v, why := r.Verdict()
	text := fmt.Sprintf("%s, %v, limit %q", v, why, r.Limit)
	for _, f := range r.Found {
		text += fmt.Sprintf("\n%s by %s, point %d, shortest %t", f.Violation.Invariant, f.Schedule, f.Point, f.Shortest)
	}
	return text + fmt.Sprint("\n", r.Spins)
}

// rotated is a part of the hazards, another one for each number.
func rotated(t *testing.T, n, usual, raced int) []Hazard {
	all := Hazards()
	n %= len(all)
	return testkit.Some(t, slices.Concat(all[n:], all[:n]), usual, raced)
}

// TestSameAnswer: what is found, to the action, depends on the question alone, and happens when it is
// played. It is the same on one processor, of a row after other hazards and before them, of a matrix
// with any number of workers, and with all orders kept apart; but for the last, so are the states, also
// where a limit ends the search within a level.
func TestSameAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	locks := matrixLocks(t, "pubsub-wakeup", "watchdog-naive", "weak-token", "redlock", "set-del", "zk-lock")
	for range testkit.Size(t, 1, 1) {
		locks = append(locks, programOf(randomOps(rng)))
	}
	for n, l := range locks {
		hazards := rotated(t, n, 3, 2)
		if l.Subject.KeepsTime() { // that takes long
			hazards = hazards[:1]
		}
		limits := Bounds{States: []int{100, 700}[rng.IntN(2)], Depth: 100}
		for i := range hazards {
			hazards[i] = Within(limits, "A", "B")(l, hazards[i]).Hazard
		}
		each := func(explore func(context.Context, Hazard, history.Config, Options) (Report, error)) []Report {
			var list []Report
			for _, h := range hazards {
				list = append(list, testkit.Must(explore(t.Context(), h, h.Config(l, "A", "B"), Options{}))(t))
			}
			return list
		}
		alone := func(ctx context.Context, h Hazard, c history.Config, o Options) (Report, error) {
			return NewRow(ctx, l).Explore(ctx, h, c, o)
		}
		matrix := func(jobs int) []Report {
			told, both := map[string]Report{}, []Lock{l, {"again", l.Subject}}
			cells := testkit.Must(Matrix(t.Context(), both, hazards, Within(limits, "A", "B"), jobs, nil, func(done, total int, c Report) {
				if told[c.Config.Strategy+c.Hazard] = c; done != len(told) || total != 2*len(hazards) {
					t.Errorf("cell %d of %d is told after %d", done, total, len(told))
				}
			}))(t)
			var list []Report
			for i, c := range cells {
				if c.Config.Strategy != both[i/len(hazards)].ID || c.Hazard != hazards[i%len(hazards)].ID || !reflect.DeepEqual(told[c.Config.Strategy+c.Hazard], c) {
					t.Errorf("cell %d is %s, %s, or was told as another", i, c.Config.Strategy, c.Hazard)
				}
				list = append(list, c)
			}
			return list[:len(hazards)]
		}
		t.Run(l.ID, func(t *testing.T) {
			want := each(alone)
			for i := range want {
				for j := range want[i].Found {
					if len(want[i].Spins) == 0 { // no world lets time pass meanwhile
						playable(t, &want[i], l.Subject, &want[i].Found[j])
					}
				}
			}
			row := NewRow(t.Context(), l)
			defer row.Close()
			for _, way := range []struct {
				name string
				ask  func() []Report
			}{
				{"on one processor", func() []Report {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
					return each(alone)
				}},
				{"in a row", func() []Report { return each(row.Explore) }},
				{"by one worker", func() []Report { return matrix(0) }},
				{"by four workers", func() []Report { return matrix(4) }},
				{"in a row, from the last", func() []Report {
					slices.Reverse(hazards)
					slices.Reverse(want)
					row = NewRow(t.Context(), l)
					return each(row.Explore)
				}},
				{"exactly", func() []Report {
					for i := range hazards {
						hazards[i].Bounds.Exact = true
					}
					return each(alone)
				}},
			} {
				for i, got := range way.ask() {
					got, want := learned(got), learned(want[i])
					if exact := way.name == "exactly"; exact && got.Limit+want.Limit == "" && said(got) != said(want) || !exact && !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %s: %+v\n%s\nalone %+v\n%s", way.name, got.Hazard, got, said(got), want, said(want))
					}
				}
			}
		})
	}
}

// TestTwoPanics: which of two panics is told of does not depend on which one an earlier hazard met first.
func TestTwoPanics(t *testing.T) {
	l := makes(func(ctx context.Context, e strategies.Env) error {
		switch free, err := e.Redis.SetNX(ctx, e.Key, e.Name, e.TTL).Result(); {
		case err != nil:
			panic("no reply")
		case !free:
			return strategies.ErrNotAcquired
		}
		e.Clock.Now()
		if e.Redis.Get(ctx, e.Key).Err() != nil {
			panic("it is gone")
		}
		return nil
	})
	told := map[string]bool{}
	for _, first := range []history.Verb{"", history.LoseReply, history.Evict} {
		row := NewRow(t.Context(), l)
		defer row.Close()
		for _, faults := range [][]history.Action{verbs(first), verbs(history.LoseReply, history.Evict)} {
			h := Hazard{Bounds: Bounds{Faults: faults, Budget: 1, Ticks: 1, Depth: 20}}
			if first == "" {
				h.Bounds.Faults = verbs(history.LoseReply, history.Evict)
			}
			r := testkit.Must(row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{}))(t)
			if len(h.Bounds.Faults) > 1 {
				told[r.Trouble.String()] = true
			}
		}
	}
	if len(told) != 1 {
		t.Errorf("%v", told)
	}
}
