package locktest

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/locktest/testdata/ordinary/permits"
	"lockstep/locktest/testdata/ordinary/queue"
	"lockstep/locktest/testdata/ordinary/readside"
)

// twoPermits is a semaphore of two permits: a counter.
func twoPermits(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		n, err := c.Redis.Incr(ctx, c.Key).Result()
		if err == nil && n > 2 {
			err = c.Redis.Decr(ctx, c.Key).Err()
			return refused(false, err)
		}
		return err
	}, func(ctx context.Context) error { return c.Redis.Decr(ctx, c.Key).Err() }), nil
}

// Parts of the sentences.
const (
	notExclusive = " hold it at once without any fault: Check is for exclusive locks; "
	aList        = " is a list, and the client that pops its last element counts as its holder: "
)

// TestNotExclusive: where several may hold a lock, and the second leaves what the first wrote, one sentence says that it
// may not be an exclusive one. It does not where the second overwrites the first, and where the first has lost its lease.
// Of a queue in a list, one says what counts.
func TestNotExclusive(t *testing.T) {
	testkit.Single(t)
	for name, test := range map[string]struct {
		make Factory
		want string
	}{
		"a semaphore in a sorted set": {func(c Client) (Lock, error) {
			s := &permits.Semaphore{RDB: c.Redis, Key: c.Key, Permits: 2, TTL: c.TTL}
			return Funcs(s.Acquire, s.Release), nil
		}, notExclusive},
		"a semaphore that counts": {twoPermits, notExclusive},
		"the read side": {func(c Client) (Lock, error) {
			m := readside.New(c.Redis, c.Key, c.TTL)
			return Funcs(m.RLock, m.RUnlock), nil
		}, notExclusive},
		"a queue in a list": {func(c Client) (Lock, error) {
			q := queue.Open(c.Redis, c.Key)
			return Funcs(q.Enter, q.Leave), nil
		}, aList},
		"it overwrites":            {withMistake(overwrites), ""},
		"the lease ends too early": {withMistake(wrongUnit), ""},
		"a counter that is locked": {counterLock, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			o.plan.Hazards = []string{"contention", "crash"}
			for _, opt := range []Option{RefusedBy(permits.ErrFull, readside.ErrWriting, queue.ErrNotFirst)} {
				opt(&o)
			}
			all := reports(t, test.make, &o)
			var said []string
			for _, r := range all {
				for _, f := range r.Found {
					for _, line := range f.Why {
						if strings.Contains(line, notExclusive) || strings.Contains(line, aList) {
							said = append(said, line)
						}
					}
				}
			}
			if all[0].Passes() || (test.want == "") != (said == nil) || len(said) > 1 || said != nil && !strings.Contains(said[0], test.want) {
				t.Errorf("contention is %s, and it is said: %q", all[0].Verdict, said)
			}
		})
	}
}

// TestGoroutinesAreIntroduced: the transcript says what /2 is before the first line of it, and once.
func TestGoroutinesAreIntroduced(t *testing.T) {
	testkit.Single(t)
	o := defaults()
	o.plan.Hazards = []string{"contention"}
	for _, r := range reports(t, withMistake(outlives), &o) {
		for _, f := range r.Found {
			text := strings.Join(f.Transcript, "\n")
			said, first := strings.Index(text, "/2 is another goroutine of A\n"), strings.Index(text, "/2 PEXPIRE")
			if said < 0 || first < said || strings.Count(text, "/2 is another goroutine of A\n") != 1 {
				t.Errorf("%s:\n%s", f.Invariant, text)
			}
		}
	}
}
