package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// TestAfter: what can still be violated after some actions, and by how many more, is what the
// replay of every schedule that begins with them says.
func TestAfter(t *testing.T) {
	still, gone := 0, 0
	for n, id := range testkit.Some(t, []string{"set-del", "setnx", "set-lua", "reentrant-counter", "setnx-expire"}, 4, 2) {
		for _, h := range matrixHazards(t, "overrun", "crash", "lost-reply") {
			lock := lockOf(t, id)
			config := h.Config(lock, "A", "B")
			random := rand.New(rand.NewPCG(uint64(n), 1))
			var after history.Schedule
			for range 12 {
				slow := newBrute(config, lock.Subject, h.Bounds)
				slow.after = after
				at, _, err := slow.visit(after)
				if err != nil || len(at.next) == 0 {
					break
				}
				after = append(slices.Clone(after), at.next[random.IntN(len(at.next))])
				if len(after) < 4 {
					continue
				}
				slow = newBrute(config, lock.Subject, h.Bounds)
				slow.after = after
				was, err := slow.run()
				testkit.OK(t, err)
				fast := testkit.Must(Explore(t.Context(), config, lock.Subject, h.Bounds, Options{After: after}))(t)
				faulty := h.Bounds.IsFault(after[len(after)-1].Verb)
				tells := func(r Report) (out []string) {
					for _, f := range r.Found {
						already := slices.ContainsFunc(was.Found, func(w Found) bool {
							return w.Violation.Invariant == f.Violation.Invariant && len(w.Schedule) == len(after)
						})
						if !already && !(faulty && f.Violation.Invariant == history.LockRecovers) {
							out = append(out, fmt.Sprint(f.Violation.Invariant, len(f.Schedule)))
						}
						if !slices.Equal(f.Schedule[:len(after)], after) {
							t.Errorf("%s, %s: %s does not begin with %s", id, h.ID, f.Schedule, after)
						}
					}
					return out
				}
				if got, want := tells(fast), tells(was); fast.Limit != was.Limit || fast.States != was.States || !slices.Equal(got, want) {
					t.Errorf("%s, %s, after %s: %d states and %v; the replay finds %d and %v", id, h.ID, after, fast.States, got, was.States, want)
				}
				for _, invariant := range []string{history.MutualExclusion, history.LostUpdate} {
					if found(&fast, invariant) {
						still++
					} else {
						gone++
					}
				}
			}
		}
	}
	if still == 0 || gone == 0 {
		t.Errorf("%d violations to come, %d out of reach", still, gone)
	}
	t.Logf("%d violations to come, %d out of reach", still, gone)
}
