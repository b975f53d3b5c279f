package explore

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// A drawingLock draws one of several things each time that it is refused, by one of two means, and
// with one of them takes the refusal for a success.
type drawingLock struct {
	strategies.Env
	by       string
	of, evil int
}

func (l drawingLock) draw() int {
	switch l.by {
	case "select":
		var ready [5]chan int
		for i := range l.of { // one that is nil is never ready
			ready[i] = make(chan int, 1)
			ready[i] <- i
		}
		select {
		case n := <-ready[0]:
			return n
		case n := <-ready[1]:
			return n
		case n := <-ready[2]:
			return n
		case n := <-ready[3]:
			return n
		case n := <-ready[4]:
			return n
		}
	case "map":
		m := map[int]bool{}
		for i := range 8 { // a map of fewer begins with the first one mostly
			m[i] = true
		}
		for n := range m {
			return n % l.of
		}
	}
	return 0
}

func (l drawingLock) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := l.Redis.SetNX(ctx, l.Key, l.Token(), l.TTL).Result()
	if err != nil || ok {
		return strategies.Grant{}, err
	}
	n := l.draw()
	_ = l.Redis.Get(ctx, []string{"zero", "one", "two", "three", "four"}[n]).Err() // so that all differ
	if n == l.evil {
		return strategies.Grant{}, nil
	}
	return strategies.Grant{}, strategies.ErrNotAcquired
}

func (l drawingLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	return l.Redis.Del(ctx, l.Key).Err()
}

func drawn(by string, of, evil int) Lock {
	return Lock{"drawing", program.Subject{Nodes: 1, Start: bubble.Start, New: func(e strategies.Env) strategies.Lock { return drawingLock{e, by, of, evil} }}}
}

// TestDraws: whatever code draws is explored. A schedule says what it drew, so that a world in which
// the code draws anew plays the same. More than four things are too many.
func TestDraws(t *testing.T) {
	t.Parallel()
	h := matrixHazards(t, "contention")[0]
	for _, test := range []struct {
		by       string
		of, evil int
	}{
		{"select", 2, 0}, {"select", 2, 1}, {"select", 3, 0}, {"select", 3, 2}, {"select", 2, 5}, {"select", 1, 5}, {"map", 2, 0}, {"map", 2, 1}, {"select", 5, 5},
	} {
		l := drawn(test.by, test.of, test.evil)
		r, err := Check(t.Context(), h, l, Options{}, "A", "B")
		switch {
		case test.of == 5:
			if err == nil || !strings.Contains(err.Error(), "not deterministic") || !strings.Contains(err.Error(), "once   GET") || !strings.Contains(err.Error(), "again  GET") {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		case err != nil:
			t.Errorf("%+v: %v", test, err)
			continue
		}
		if draws, evil := r.Drawing > 0, found(&r, history.MutualExclusion); draws != (test.of > 1) || evil != (test.evil < test.of) {
			t.Errorf("%+v: it draws %d times, and violates%s", test, r.Drawing, broken(r))
		}
		for _, f := range r.Found {
			if f.Violation.Invariant != history.MutualExclusion {
				continue
			}
			for range 20 {
				_, s, err := history.ParseToken(history.Token(r.Config, f.Schedule))
				if err != nil {
					t.Fatal(err)
				}
				w := testkit.Must(world.New(r.Config, l.Subject))(t)
				if err := w.Run(s); err != nil {
					t.Fatalf("%+v: %v: %v", test, s, err)
				}
				w.Close()
				if !strings.Contains(broken(Report{Found: foundOf(history.Check(w.History()))}), history.MutualExclusion) {
					t.Fatalf("%+v: %v does not violate it again", test, s)
				}
			}
		}
	}
}

// foundOf are violations as a report has them.
func foundOf(list []history.Violation) (found []Found) {
	for _, v := range list {
		found = append(found, Found{Violation: v})
	}
	return found
}
