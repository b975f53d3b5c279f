package locktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/internal/trial"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/program"
)

// TestNoClockIsSetBack: what cannot be had is not said to have been tried.
func TestNoClockIsSetBack(t *testing.T) {
	o := defaults()
	tr, err := trial.New(t.Context(), o.plan, time.Minute, "clock", inProcess(withMistake(none)))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	h, _ := explore.FindHazard("client-clock")
	if r := tr.Try(t.Context(), h); strings.Contains(r.Assumptions, "jump -") || !strings.Contains(r.Assumptions, "no client's clock is set back") || !strings.Contains(r.Assumptions, "jump 10s") {
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
		o := defaults()
		for _, opt := range test.opts {
			opt(&o)
		}
		tr, err := trial.New(t.Context(), o.plan, time.Minute, "unsaid", program.Subject{New: Factory(own).build(&o), Nodes: 1, Start: bubble.Start})
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		h, _ := explore.FindHazard("contention")
		if r := tr.Try(t.Context(), h); string(r.Verdict) != test.verdict || !strings.Contains(r.Reason, test.wants) {
			t.Errorf("%+v", r)
		}
	}
}

// TestAllowedHidesNothing: a lock that panics, spins or waits for ever where its
// lease is lost does not pass because it is allowed to lose it.
func TestAllowedHidesNothing(t *testing.T) {
	defer program.SetPatience(program.SetPatience(time.Second / 5))
	for name, lost := range map[string]func(){
		"panic": func() { panic("lost it") },
		"waits": func() { select {} },
		"spin": func() {
			for {
				runtime.Gosched()
			}
		},
	} {
		o := defaults()
		tr, err := trial.New(t.Context(), o.plan, 20*time.Second, "lost", inProcess(func(c Client) (Lock, error) {
			l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
			return Funcs(l.Lock, func(ctx context.Context) error {
				err := l.Unlock(ctx)
				if errors.Is(err, ErrLost) {
					lost()
				}
				return err
			}), nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		h, _ := explore.FindHazard("overrun")
		if r := tr.Try(t.Context(), h); r.Passes() || r.Reason == "" || len(r.Found) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		tr.Close()
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
