package locktest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/sim/explore"
	"lockstep/verdict"
)

// TestNoClockIsSetBack: what cannot be had is not said to have been tried.
func TestNoClockIsSetBack(t *testing.T) {
	o := defaults()
	trial, err := verdict.New(t.Context(), o.plan, time.Minute, "clock", inProcess(withMistake(none)))
	if err != nil {
		t.Fatal(err)
	}
	defer trial.Close()
	h, _ := explore.FindHazard("client-clock")
	if r := trial.Try(t.Context(), h); strings.Contains(r.Assumptions, "jump -") || !strings.Contains(r.Assumptions, "no client's clock is set back") || !strings.Contains(r.Assumptions, "jump 10s") {
		t.Errorf("%+v", r)
	}
}

// TestUnsaidRefusal: a lock that says in words of its own that somebody else has it
// is told what to say.
func TestUnsaidRefusal(t *testing.T) {
	o := defaults()
	trial, err := verdict.New(t.Context(), o.plan, time.Minute, "unsaid", inProcess(func(c Client) (Lock, error) {
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name}
		return Funcs(func(ctx context.Context) error {
			err := l.Lock(ctx)
			if errors.Is(err, ErrNotAcquired) {
				return errors.New("taken")
			}
			return err
		}, l.Unlock), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer trial.Close()
	h, _ := explore.FindHazard("contention")
	if r := trial.Try(t.Context(), h); r.Verdict != "VACUOUS" || !strings.Contains(r.Reason, "ErrNotAcquired") {
		t.Errorf("%+v", r)
	}
}
