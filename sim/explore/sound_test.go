package explore

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/sim/program"
	"lockstep/strategies"
)

// check explores a lock under a hazard, whose bounds may change.
func check(t *testing.T, l Lock, hazard string, change ...func(*Hazard)) Report {
	t.Helper()
	h := matrixHazards(t, hazard)[0]
	for _, do := range change {
		do(&h)
	}
	r, err := Check(t.Context(), h, l, Options{}, "A", "B")
	if err != nil {
		t.Fatal(l.ID, hazard, err)
	}
	return r
}

// TestFirst: First stops at the first violation, and nowhere else.
func TestFirst(t *testing.T) {
	h, _ := FindHazard("overrun")
	r, err := Check(t.Context(), h, lockOf(t, "set-del"), Options{First: true}, "A", "B")
	if err != nil || lengths(r) != " phantom-hold=3" || r.Limit != FirstViolation || r.States > 100 || !r.Found[0].Shortest {
		t.Errorf("set-del:%s, %q, %d states, %v", lengths(r), r.Limit, r.States, err)
	}
	r, err = Check(t.Context(), h, lockOf(t, "setnx"), Options{First: true}, "A", "B")
	if v, _ := r.Verdict(); err != nil || v != Holds {
		t.Errorf("setnx: %s, %v", v, err)
	}
}

// fickle is a lock whose code depends on more than its observations.
type fickle struct {
	strategies.Env
	calls *atomic.Int64 // clients learn at the same time
}

func (f fickle) Lock(ctx context.Context) (strategies.Grant, error) {
	token := strings.Repeat("x", int(f.calls.Add(1)))
	return strategies.Grant{}, f.Redis.Set(ctx, f.Key, token, f.TTL).Err()
}

func (f fickle) Unlock(ctx context.Context, _ strategies.Grant) error {
	return f.Redis.Del(ctx, f.Key).Err()
}

func TestNondeterminismIsAnError(t *testing.T) {
	calls := atomic.Int64{}
	s := program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return fickle{e, &calls} }}
	h, _ := FindHazard("contention")
	_, err := Explore(t.Context(), h.Config(Lock{"fickle", s}, "A", "B"), s, h.Bounds, Options{})
	if !errors.Is(err, program.ErrNondeterministic) {
		t.Fatalf("got %v", err)
	}
	for _, words := range []string{"once", "again", "SET lock:stock x"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}
