package locktest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/locktest"
	"lockstep/sim/explore"
)

var (
	renewOwn   = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)
	releaseOwn = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
)

// A dog is a lock with a watchdog: right but for what its fields say.
type dog struct {
	locktest.Client
	every     func(ttl time.Duration) time.Duration // nil for a lock without one
	most      int                                   // renewals; 0 for no limit
	lease     time.Duration                         // its own; 0 for the TTL
	least     time.Duration                         // a shorter TTL is refused
	reentrant bool                                  // it counts
	innerEnds bool                                  // an inner Unlock ends the renewal
	token     string
	levels    int
	stop      func()
}

func (d dog) make(c locktest.Client) (locktest.Lock, error) {
	d.Client = c
	if d.TTL < d.least {
		return nil, errors.New("the TTL is too short")
	}
	if d.lease > 0 {
		d.TTL = d.lease
	}
	return &d, nil
}

func (d *dog) Lock(ctx context.Context) error {
	if d.reentrant && d.levels > 0 {
		d.levels++
		return nil
	}
	token := rand.Text()
	ok, err := d.Redis.SetNX(ctx, d.Key, token, d.TTL).Result()
	switch {
	case err != nil:
		return err
	case !ok:
		return locktest.ErrNotAcquired
	}
	d.token, d.levels = token, 1
	if d.every == nil {
		return nil
	}
	ctx, d.stop = context.WithCancel(context.Background())
	go d.renew(ctx, token)
	return nil
}

func (d *dog) renew(ctx context.Context, token string) {
	tick := time.NewTicker(d.every(d.TTL))
	defer tick.Stop()
	for n := 0; d.most == 0 || n < d.most; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := renewOwn.Run(ctx, d.Redis, []string{d.Key}, token, d.TTL.Milliseconds()).Int()
		if err == nil && n == 0 {
			return
		}
	}
}

func (d *dog) Unlock(ctx context.Context) error {
	if d.levels--; d.stop != nil && (d.levels == 0 || d.innerEnds) {
		d.stop()
	}
	if d.levels > 0 {
		return nil
	}
	n, err := releaseOwn.Run(ctx, d.Redis, []string{d.Key}, d.token).Int()
	if err == nil && n == 0 {
		return locktest.ErrLost
	}
	return err
}

func third(ttl time.Duration) time.Duration { return ttl / 3 }

func every(d time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return d }
}

// TestLongWork: who renews has to keep the lease for three leases, and nobody else promises
// that. At is when the lease is found to be over, by the arithmetic of the lock: it ends a
// millisecond after the last renewal and a lease.
func TestLongWork(t *testing.T) {
	testkit.Single(t)
	for _, test := range testkit.Some(t, []struct {
		name string
		lock dog
		opts []locktest.Option
		want explore.Verdict
		at   string
	}{
		{"a third of the lease", dog{every: third}, nil, explore.Holds, ""},
		{"once", dog{every: third, most: 1}, nil, explore.Violated, "6.668s"},
		{"once, and the work is shorter", dog{every: third, most: 1}, []locktest.Option{locktest.Work(6 * time.Second)}, explore.Holds, ""},
		{"seconds for milliseconds", dog{every: func(ttl time.Duration) time.Duration {
			return time.Duration(ttl.Milliseconds()/3) * time.Second
		}}, nil, explore.Violated, "5.001s"},
		{"never", dog{}, nil, explore.Vacuous, ""},
		{"an inner unlock ends it", dog{every: third, reentrant: true, innerEnds: true}, nil, explore.Violated, "5.001s"},
		{"it counts", dog{every: third, reentrant: true}, nil, explore.Holds, ""},
		{"each 7 s, with a TTL of 5 s", dog{every: every(7 * time.Second)}, nil, explore.Violated, "5.001s"},
		{"each second whatever the TTL", dog{every: every(time.Second)}, nil, explore.Violated, "801ms"},
		{"each second with this TTL", dog{every: every(time.Second)}, []locktest.Option{locktest.TTL(5 * time.Second)}, explore.Holds, ""},
		{"each second, and no TTL below 3 s", dog{every: every(time.Second), least: 3 * time.Second}, nil, explore.Holds, ""},
		{"a lease of its own", dog{every: third, lease: 30 * time.Second}, nil, explore.Holds, ""},
		{"once, and a lease of its own", dog{every: third, most: 1, lease: 30 * time.Second}, nil, explore.Violated, "40.001s"},
		{"once, with another TTL", dog{every: third, most: 1}, []locktest.Option{locktest.TTL(30 * time.Second)}, explore.Violated, "40.001s"},
		{"too often to be outlasted", dog{every: func(ttl time.Duration) time.Duration { return ttl / 20 }}, nil, explore.Vacuous, ""},
	}, 6, 2) {
		t.Run(test.name, func(t *testing.T) {
			r := locktest.Tried(t, test.lock.make, "long-work", test.opts...)
			if r == nil {
				return
			}
			if r.Verdict != test.want || (r.Verdict == explore.Vacuous) != (r.Reason != "") {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
			if (test.at != "") != (len(r.Found) > 0) {
				t.Fatalf("found %+v", r.Found)
			}
			if test.at == "" {
				return
			}
			f := r.Found[0]
			ends := test.at + " -- r1 lock:stock expires "
			expires := slices.ContainsFunc(f.Transcript, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ends) })
			if f.Invariant != "phantom-hold" || f.Faults != 0 || f.Allowed != "" || !expires {
				t.Errorf("%s, allowed %q, not at %s:\n%s", f.Invariant, f.Allowed, test.at, strings.Join(f.Transcript, "\n"))
			}
		})
	}
}
