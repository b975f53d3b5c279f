package locktest_test

import (
	"context"
	oldrand "math/rand"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/locktest"
	"lockstep/sim/history"
)

// A waits is a correct lock that tries again after a random time, but for what it
// makes of that time, or of a token that equals its own.
type waits struct {
	token func() string
	wait  func() time.Duration
	steal func(waited time.Duration) bool
}

const waitMost = 200 * time.Millisecond

func (w waits) make(c locktest.Client) (locktest.Lock, error) {
	var token string
	return locktest.Funcs(func(ctx context.Context) error {
		token = w.token()
		for range 3 {
			ok, err := c.Redis.SetNX(ctx, c.Key, token, c.TTL).Result()
			if ok || err != nil {
				return err
			}
			if c.Redis.Get(ctx, c.Key).Val() == token {
				return nil
			}
			d := w.wait()
			time.Sleep(d)
			if w.steal(d) {
				return c.Redis.Set(ctx, c.Key, token, c.TTL).Err()
			}
		}
		return locktest.ErrNotAcquired
	}, func(ctx context.Context) error {
		if c.Redis.Get(ctx, c.Key).Val() != token {
			return locktest.ErrLost
		}
		return c.Redis.Del(ctx, c.Key).Err()
	}), nil
}

func short() string { return strconv.Itoa(rand.IntN(1000)) }

// both draws tokens and delays at one line.
func both() int { return rand.IntN(1000) }

// TestDelays: a delay that is drawn is also the shortest and the longest, and only
// what is no more than a delay.
func TestDelays(t *testing.T) {
	testkit.Single(t)
	never := func(time.Duration) bool { return false }
	shortest := func(d time.Duration) bool { return d < time.Microsecond }
	longest := func(d time.Duration) bool { return d >= waitMost-time.Millisecond }
	newer := func() time.Duration { return rand.N(waitMost) }
	older := func() time.Duration { return time.Duration(oldrand.Int63n(int64(waitMost))) }
	millis := func() time.Duration {
		return time.Duration(oldrand.Intn(int(waitMost/time.Millisecond))) * time.Millisecond
	}
	share := func() time.Duration { return time.Duration(float64(waitMost) * rand.Float64()) }
	for _, test := range testkit.Some(t, []struct {
		name   string
		lock   waits
		finds  bool
		delays string
	}{
		{"correct", waits{short, newer, never}, false, "drawn shortest longest"},
		{"v2 shortest", waits{short, newer, shortest}, true, "drawn shortest"},
		{"v2 longest", waits{short, newer, longest}, true, "drawn shortest longest"},
		{"float shortest", waits{short, share, shortest}, true, "drawn shortest"},
		{"float longest", waits{short, share, longest}, true, "drawn shortest longest"},
		{"v1 shortest", waits{short, older, shortest}, true, "drawn shortest"},
		{"v1 longest", waits{short, older, longest}, true, "drawn shortest longest"},
		{"v1 int shortest", waits{short, millis, shortest}, true, "drawn shortest"},
		{"v1 int longest", waits{short, millis, longest}, true, "drawn shortest longest"},
		{"fixed", waits{short, func() time.Duration { return waitMost }, never}, false, ""},
		{"one line for both", waits{func() string { return strconv.Itoa(both()) }, func() time.Duration { return time.Duration(both()) * time.Millisecond }, never}, false, ""},
	}, 4, 4) {
		t.Run(test.name, func(t *testing.T) {
			r := locktest.Tried(t, test.lock.make, "contention")
			if r == nil {
				return
			}
			if r.Passes() == test.finds || strings.Join(r.Delays, " ") != test.delays {
				t.Errorf("%+v", r)
			}
			for _, f := range r.Found {
				if config, _, err := history.ParseToken(f.Token); err != nil || config.Delay != r.Delays[len(r.Delays)-1] {
					t.Errorf("%s in %v, %v", f.Invariant, config, err)
				}
			}
			if told := strings.Contains(r.Assumptions, strings.ReplaceAll(test.delays, " ", ", ")); !told {
				t.Errorf("assumptions: %s", r.Assumptions)
			}
		})
	}
}
