package locktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/program"
)

// TestNoClockIsSetBack: what cannot be had is not said to have been tried.
func TestNoClockIsSetBack(t *testing.T) {
	if r := under(t, trialHere(t, withMistake(none)), ClientClock); strings.Contains(r.Assumptions, "jump -") || !strings.Contains(r.Assumptions, "no client's clock is set back") || !strings.Contains(r.Assumptions, "jump 10s") {
		t.Errorf("%+v", r)
	}
}

// TestUnsaidRefusal: a lock that says in words of its own that somebody else has it
// is told what to say; RefusedBy says it for the lock.
func TestUnsaidRefusal(t *testing.T) {
	taken := errors.New("taken")
	own := func(c Client) (Lock, error) {
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
		return Funcs(func(ctx context.Context) error {
			err := l.Lock(ctx)
			if errors.Is(err, ErrNotAcquired) {
				return fmt.Errorf("my lock: %w", taken)
			}
			return err
		}, l.Unlock), nil
	}
	for _, test := range []struct {
		opts           []Option
		verdict, wants string
	}{{nil, "VACUOUS", "ErrNotAcquired"}, {[]Option{RefusedBy(errors.New("another"), taken)}, "HOLDS", ""}} {
		if r := under(t, trialHere(t, own, test.opts...), Contention); string(r.Verdict) != test.verdict || !strings.Contains(r.Reason, test.wants) {
			t.Errorf("%+v", r)
		}
	}
}

// TestAllowedHidesNothing: a lock that panics, spins or waits for ever where its
// lease is lost does not pass because it is allowed to lose it.
func TestAllowedHidesNothing(t *testing.T) {
	testkit.Single(t)
	defer program.SetPatience(program.SetPatience(time.Second / 5))
	var over atomic.Bool // the goroutine that spins is left behind: it shall not take a processor from the tests after this one
	defer func() { over.Store(true) }()
	wants := map[string]string{"panic": "panic", "waits": "blocked-forever"}
	for name, lost := range map[string]func(){
		"panic": func() { panic("lost it") },
		"waits": func() { select {} },
		"spin": func() {
			for !over.Load() {
				runtime.Gosched()
			}
		},
	} {
		tr := trialHere(t, func(c Client) (Lock, error) {
			l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
			return Funcs(l.Lock, func(ctx context.Context) error {
				err := l.Unlock(ctx)
				if errors.Is(err, ErrLost) {
					lost()
				}
				return err
			}), nil
		})
		r := under(t, tr, Overrun)
		found := slices.ContainsFunc(r.Found, func(f trial.Found) bool { return f.Invariant == wants[name] && f.Allowed == "" })
		if r.Passes() || found != (wants[name] != "") || name == "spin" && r.Reason == "" || len(r.Found) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestVacuousIsSkipped: a hazard that never happened is no pass.
func TestVacuousIsSkipped(t *testing.T) {
	skipped := false
	t.Run("vacuous", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		conclude(t, "", &trial.Report{Verdict: explore.Vacuous, Reason: "the lock never reads a clock"})
	})
	if !skipped {
		t.Error("it passes")
	}
}
