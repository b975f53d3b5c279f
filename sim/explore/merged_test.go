package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// both explores a lock under a hazard, with and without taking orders of strands to be equal.
func both(t *testing.T, l Lock, h Hazard, states int) (merged, exact *search) {
	t.Helper()
	h = h.On(l.Subject)
	h.Bounds.States = states
	searches := make([]*search, 2)
	for i := range searches {
		h.Bounds.Exact = i == 1
		m := model.New(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds.Exact)
		t.Cleanup(m.Close)
		r, err := explore(t.Context(), m, h.Bounds, Options{})
		if err != nil {
			t.Fatalf("%s, %s: %v", l.ID, h.ID, err)
		}
		// The same search once more, as explore keeps only its report.
		searches[i] = searched(t, m, h.Bounds)
		searches[i].report = r
		searches[i].report.Hazard = h.ID
	}
	return searches[0], searches[1]
}

// TestMergedBesideExact: taking orders of strands to be equal changes neither a
// verdict nor the size of a counterexample, and what may happen from the
// initial state on is the same.
func TestMergedBesideExact(t *testing.T) {
	states := testkit.Size(t, 2_000, 500)
	quick := testkit.Size(t, 1, 1) == 1 // in bubbles it takes ten times as long and more
	var locks []Lock
	for _, info := range strategies.Catalogue() {
		l := lockOf(t, info.ID)
		if !info.ZooKeeper || !quick {
			locks = append(locks, l)
		}
		if info.ID == "watchdog-lua" || info.ID == "redlock" && !quick {
			l.ID += " in bubbles"
			l.Subject.Start = bubble.Start
			locks = append(locks, l)
		}
	}
	for n, l := range locks {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			line, states := "", states
			if l.Subject.KeepsTime() {
				states /= 10
			}
			for _, h := range rotated(t, n, 2, 2) {
				merged, exact, classes := mergedBesideExact(t, l, h, states)
				if exact.report.Limit == "" && merged.report.Merging.Relearned {
					t.Errorf("%s: orders of threads were merged wrongly", h.ID)
				}
				line += fmt.Sprintf(" %s %d of %d states, %d classes", h.ID, merged.states.len(), exact.states.len(), classes)
			}
			t.Log(line)
		})
	}
}

// mergedBesideExact explores both ways, and fails unless both find the same by the same switches of
// clients, and the initial states are bisimilar. What a limit ends is not compared: merged may have come further.
func mergedBesideExact(t *testing.T, l Lock, h Hazard, states int) (merged, exact *search, classes int) {
	t.Helper()
	merged, exact = both(t, l, h, states)
	if exact.report.Limit != "" {
		return merged, exact, 0
	}
	if !merged.report.sameFindings(&exact.report) {
		t.Errorf("%s: merged %s %s, exact %s", h.ID, merged.report.Limit, costs(merged.report), costs(exact.report))
		return merged, exact, 0
	}
	for i, f := range merged.report.Found {
		if history.Tried(f.Violation.Invariant) || f.Violation.Invariant == history.LostWakeup {
			continue // of these, only one path to each state is compared
		}
		if want := exact.report.Found[i].Schedule; switches(f.Schedule) != switches(want) {
			t.Errorf("%s: %s is found by %s, and exact by %s, which switches clients otherwise", h.ID, f.Violation.Invariant, f.Schedule, want)
		}
	}
	untraced(t, merged)
	if merged.states.len() > exact.states.len() {
		t.Errorf("%s: merged %d states, exact %d", h.ID, merged.states.len(), exact.states.len())
	}
	classes, same := bisimilar(t, merged, exact)
	if !same {
		t.Errorf("%s: merged and exact are told apart by what may happen", h.ID)
	}
	return merged, exact, classes
}

// untraced finds the counterexamples without comparing how they switch clients, as in a
// search that is too large for that.
func untraced(t *testing.T, e *search) {
	t.Helper()
	for p := range e.hits {
		s, err := e.anySchedule(p)
		if err == nil {
			_, err = e.judgeSchedule(p, s)
		}
		if err != nil || len(s) != e.costs[p][1] {
			t.Errorf("%s, %s: %s, %v", e.report.Hazard, history.Invariants()[p], s, err)
		}
	}
}

// bisimilar reports whether the initial states of two searches are bisimilar:
// whether, for each action that one offers, the other offers it too, with the
// same violations, and what follows is bisimilar. It splits the states of both
// into classes by what they offer until no class splits.
func bisimilar(t *testing.T, a, b *search) (classes int, same bool) {
	t.Helper()
	type edge struct {
		label string
		to    int
	}
	var edges [][]edge
	var initial []int
	for _, e := range []*search{a, b} {
		first := len(edges)
		initial = append(initial, first) // its number in the set is 0
		for n := range e.states.len() {
			from := e.states.at(uint32(n))
			var out []edge
			for _, faulty := range []bool{false, true} {
				if faulty && from.faults() == e.bounds.Budget {
					break
				}
				list := testkit.Must(e.successors(from, faulty))(t)
				for i := range list {
					to := e.states.find(e.follow(from, &list[i], faulty))
					if to == noState {
						t.Fatal("a successor is not in the set")
					}
					out = append(out, edge{fmt.Sprint(e.Action(list[i].action), list[i].violates), first + int(to)})
				}
			}
			edges = append(edges, out)
		}
	}
	class := make([]int, len(edges))
	for before := 0; ; {
		ids, next := map[string]int{}, make([]int, len(edges))
		for n, out := range edges {
			labels := make([]string, 0, len(out))
			for _, e := range out {
				labels = append(labels, fmt.Sprint(e.label, ">", class[e.to]))
			}
			sort.Strings(labels)
			key := fmt.Sprint(class[n]) + strings.Join(slices.Compact(labels), ";")
			id, known := ids[key]
			if !known {
				id = len(ids)
				ids[key] = id
			}
			next[n] = id
		}
		class = next
		if len(ids) == before {
			break
		}
		before = len(ids)
	}
	last := 0
	for _, c := range class {
		last = max(last, c+1)
	}
	return last, class[initial[0]] == class[initial[1]]
}

// TestAnInterruptNeedsNoProof: an interrupted search lets no more code run to verify
// what it has merged, and that can be done later.
func TestAnInterruptNeedsNoProof(t *testing.T) {
	e := searchedFor(t, "watchdog-naive", "contention")
	e.stop()
	if err := e.verifyMerges(); err != nil || e.Merging().Ways == 0 || e.Merging().Runs != 0 {
		t.Errorf("interrupted: %+v, %v", e.Merging(), err)
	}
	if err := e.VerifyMerges(t.Context()); err != nil || e.Merging().Runs == 0 {
		t.Errorf("later: %+v, %v", e.Merging(), err)
	}
}

// A rememberer is a lock whose threads are told apart by their order.
type rememberer struct {
	strategies.Env
	mark atomic.Bool // it remembers another order
	lock func(ctx context.Context, r *rememberer) error
}

func (r *rememberer) Lock(ctx context.Context) (strategies.Grant, error) {
	return strategies.Grant{}, r.lock(ctx, r)
}

// Unlock leaves the lock where it is if it remembers a mark.
func (r *rememberer) Unlock(ctx context.Context, _ strategies.Grant) error {
	if r.mark.Load() {
		return r.Redis.Get(ctx, r.Key).Err()
	}
	return r.Redis.Del(ctx, r.Key).Err()
}

// TestRememberers: code that remembers the order of its threads is found out,
// and learned again. Each of these locks leaks in one order only.
func TestRememberers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                string
		relearned, inBubble bool // learned again as coroutines, and in bubbles
		lock                func(ctx context.Context, r *rememberer) error
	}{
		{"by a variable", true, true, func(ctx context.Context, r *rememberer) error { return r.order(ctx, true) }},
		{"A alone", true, true, func(ctx context.Context, r *rememberer) error { return r.order(ctx, r.Name == "A") }},
		{"B alone", true, true, func(ctx context.Context, r *rememberer) error { return r.order(ctx, r.Name == "B") }},
		{"by the number of a token", true, true, func(ctx context.Context, r *rememberer) error {
			r.Go("other", func() {
				r.Redis.Get(ctx, "elsewhere")
				r.Token()
			})
			r.Redis.Get(ctx, "anywhere")
			token := r.Token()
			if token == r.Name+"-2" {
				r.mark.Store(true)
			}
			return simtest.Take(ctx, r.Env, r.Name)
		}},
		// What differs at once is not merged, and need not be found out.
		{"by a context that is done", false, false, func(ctx context.Context, r *rememberer) error {
			sleep, cancel := context.WithCancel(ctx)
			r.Go("other", func() {
				r.Redis.Get(ctx, "elsewhere")
				cancel()
			})
			r.Redis.Get(ctx, "anywhere")
			if sleep.Err() != nil {
				r.mark.Store(true)
			}
			_ = r.Clock.Sleep(sleep, time.Second)
			return simtest.Take(ctx, r.Env, r.Token())
		}},
		{"by a WATCH on a connection that another thread may get", false, true, func(ctx context.Context, r *rememberer) error {
			r.Go("other", func() { r.Redis.Get(ctx, "elsewhere") })
			r.Redis.Do(ctx, "WATCH", "visits")
			r.Clock.Now() // meanwhile the other gives its connection back, or has done so
			r.Redis.Incr(ctx, "visits")
			if _, err := r.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Get(ctx, "anywhere").Err() }); errors.Is(err, redis.TxFailedErr) {
				r.mark.Store(true)
			}
			return simtest.Take(ctx, r.Env, r.Token())
		}},
		{"behind a spin", true, true, func(ctx context.Context, r *rememberer) error {
			var passed, first atomic.Bool
			r.Go("other", func() {
				r.Redis.Get(ctx, "elsewhere")
				first.Store(!passed.Load())
			})
			r.Redis.Get(ctx, "anywhere")
			passed.Store(true)
			_ = r.Clock.Sleep(ctx, time.Second) // when it is over, the other has ended
			err := simtest.Take(ctx, r.Env, r.Name)
			for refused := 1; errors.Is(err, strategies.ErrNotAcquired); refused++ {
				r.mark.Store(refused > 1 && first.Load())
				err = simtest.Take(ctx, r.Env, r.Name)
			}
			return err
		}},
	} {
		for _, inBubble := range []bool{false, true} {
			if inBubble && (tt.name == "behind a spin" || strings.HasSuffix(tt.name, "alone")) {
				continue // once is enough
			}
			t.Run(fmt.Sprintf("%s, in a bubble %t", tt.name, inBubble), func(t *testing.T) {
				t.Parallel()
				l := Lock{"rememberer", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return &rememberer{Env: e, lock: tt.lock} }}}
				relearned := tt.relearned
				if inBubble {
					l.Subject.Start, relearned = bubble.Start, tt.inBubble
				}
				h, _ := FindHazard("contention")
				merged, exact, _ := mergedBesideExact(t, l, h, 100_000)
				if exact.report.Limit != "" || exact.report.Of(history.Leak) == nil {
					t.Fatalf("the lock does not leak: %s %s", exact.report.Limit, costs(exact.report))
				}
				if merged.report.Merging.Relearned != relearned {
					t.Errorf("learned again: %t", !relearned)
				}
			})
		}
	}
}

// order takes the lock, and remembers which of two threads came first if it is to.
func (r *rememberer) order(ctx context.Context, remembers bool) error {
	var passed atomic.Bool
	r.Go("other", func() {
		if r.Redis.Get(ctx, "elsewhere"); !passed.Load() && remembers {
			r.mark.Store(true)
		}
	})
	r.Redis.Get(ctx, "anywhere")
	passed.Store(true)
	return simtest.Take(ctx, r.Env, r.Token())
}
