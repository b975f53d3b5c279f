package locktest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim/history"
)

// getSetLock is a lock that GETSET takes and whose winner sets the TTL, as that of
// dv/redis-semaphore#23. A loser's GETSET overwrites the holder and clears the TTL. A holder that
// crashes before EXPIRE, or after a loser came, leaves a key without a TTL.
func getSetLock(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		before, err := c.Redis.Do(ctx, "GETSET", c.Key, c.Name).Text()
		if before != "" {
			return refused(false, err)
		}
		return c.Redis.PExpire(ctx, c.Key, c.TTL).Err()
	}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
}

// counterLock is a counter that never expires, as that of gocraft/work#231: who counts to one
// has the lock, and a crash keeps it up for ever.
func counterLock(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		n, err := c.Redis.Incr(ctx, c.Key).Result()
		if err == nil && n > 1 {
			err = c.Redis.Decr(ctx, c.Key).Err()
			return refused(false, err)
		}
		return err
	}, func(ctx context.Context) error { return c.Redis.Decr(ctx, c.Key).Err() }), nil
}

// again is what a report says in brief.
func again(r *trial.Report) string {
	var all []string
	for _, f := range r.Found {
		if f.Same != "" {
			all = append(all, f.Again().String())
		}
	}
	return strings.Join(all, "; ")
}

// TestFoundOnce: what contention violates is told there, with a transcript. Another hazard is
// violated too, says so in a line, and goes on to what is its own: both locks are stuck after a
// crash. What a hazard allows stays allowed.
func TestFoundOnce(t *testing.T) {
	testkit.Single(t)
	for name, f := range map[string]Factory{"GETSET": getSetLock, "a counter": counterLock, "SET without NX": withMistake(overwrites)} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			o.plan.Hazards = []string{"contention", "crash", "hang", "overrun", "node-restart"}
			all := reports(t, f, &o)
			first := map[string]bool{}
			for _, found := range all[0].Found {
				if !found.New() || found.Faults > 0 || len(found.Transcript) == 0 {
					t.Errorf("contention: %s: %+v", found.Invariant, found)
				}
				first[found.Invariant] = true
			}
			if len(first) == 0 {
				t.Fatal("contention violates nothing")
			}
			for _, r := range all[1:] {
				said := again(r)
				if r.Verdict != "VIOLATED" || !strings.HasSuffix(said, ", the same as under contention") {
					t.Errorf("%s is %s: %q", r.Hazard, r.Verdict, said)
				}
				for _, found := range r.Found {
					if same := found.Same != ""; found.Allowed == "" && same != (first[found.Invariant] && found.Faults == 0) || same == (len(found.Transcript) > 0) && found.Allowed == "" {
						t.Errorf("%s: %s, %d faults, is the same as under %q", r.Hazard, found.Invariant, found.Faults, found.Same)
					}
				}
			}
			stuck := slices.ContainsFunc(all[1].Found, func(found trial.Found) bool {
				return found.Invariant == history.LockRecovers && found.New() && found.Faults == 1
			})
			if stuck != (name != "SET without NX") { // which has a TTL from the start
				t.Errorf("stuck after a crash: %t", stuck)
			}
			if hang := trial.Allowed(all[2].Found).String(); strings.Contains(hang, "since a lease ends when its time is over") != (name == "GETSET") { // what is violated in any case is not allowed
				t.Errorf("hang: %q", hang)
			}
		})
	}
}

// TestFoundAgain: a violation that needs no fault and is not contention's is told once, too,
// but overrun, reentry and long-work need none for their own.
func TestFoundAgain(t *testing.T) {
	testkit.Single(t)
	o := defaults()
	o.plan.Hazards = []string{"lost-reply", "late-request"} // both wait until a lease is over, and hold for none
	for _, r := range reports(t, withMistake(successIsError), &o) {
		if said := again(r); (said == "self-deadlock, the same as under lost-reply") != (r.Hazard == "late-request") {
			t.Errorf("%s: %q", r.Hazard, said)
		}
	}
	o.plan.Hazards = []string{"overrun", "reentry"}
	for _, r := range reports(t, withMistake(releasesNothing), &o) {
		if said := again(r); said != "" || r.Verdict != "VIOLATED" {
			t.Errorf("%s is %s: %s", r.Hazard, r.Verdict, said)
		}
	}
}

// TestFoundOnceKept: a violation that is played from a file under contention is told there only, too.
func TestFoundOnceKept(t *testing.T) {
	testkit.Single(t)
	dir := t.TempDir()
	for range 2 { // the second time it is kept
		tr := trialHere(t, getSetLock)
		tr.Kept = dir
		first, crash := under(t, tr, Contention), under(t, tr, Crash)
		for i := range first.Found {
			testkit.Must(trial.Keep(dir, "contention", &first.Found[i]))(t)
		}
		news := slices.DeleteFunc(slices.Clone(crash.Found), func(f trial.Found) bool { return !f.New() })
		if again(crash) == "" || len(news) != 1 || news[0].Invariant != history.LockRecovers {
			t.Errorf("%s; %+v", again(crash), news)
		}
	}
}

// TestFoundOnceCached: what a trial finds in the cache is what it would find: past what contention violates if it has
// tried contention, and else no further than the first violation.
func TestFoundOnceCached(t *testing.T) {
	testkit.Single(t)
	kept := &cache.Verdicts{Held: map[cache.Key]cache.Answer{}, Code: func(string) (string, bool) { return "the lock", true }}
	try := func(hazards ...Hazard) (last *trial.Report) {
		tr := trialHere(t, getSetLock)
		tr.Cache = kept
		for _, h := range hazards {
			last = under(t, tr, h)
		}
		return last
	}
	for range 2 {
		stuck := func(f trial.Found) bool { return f.Invariant == history.LockRecovers }
		if r := try(Crash); again(r) != "" || slices.ContainsFunc(r.Found, stuck) {
			t.Errorf("crash alone: %+v", r.Found)
		}
		if r := try(Contention, Crash); again(r) == "" || !slices.ContainsFunc(r.Found, stuck) {
			t.Errorf("crash after contention: %+v", r.Found)
		}
	}
	if len(kept.Held) != 3 {
		t.Errorf("%d answers", len(kept.Held))
	}
}

// TestNotAsUnderOverrun: under overrun the lease has ended when the lock renews it for another.
// Elsewhere it renews after its release, so that this is told as well.
func TestNotAsUnderOverrun(t *testing.T) {
	testkit.Single(t)
	dir := t.TempDir()
	for range 2 { // the second time that of overrun is kept
		tr := trialHere(t, func(c Client) (Lock, error) {
			return Funcs(func(ctx context.Context) error {
				got, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result()
				if got {
					go func() {
						if c.Redis.Get(ctx, c.Key).Val() == "" {
							_ = c.Redis.PExpire(ctx, c.Key, 6*c.TTL)
						}
					}()
				}
				return refused(got, err)
			}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
		})
		tr.Kept = dir
		for _, h := range []Hazard{Overrun, LostReply} {
			r := under(t, tr, h)
			i := slices.IndexFunc(r.Found, func(f trial.Found) bool { return f.Invariant == history.ForeignRenewal && f.New() && f.Faults == 0 })
			if i < 0 {
				t.Fatalf("%s: %+v", r.Hazard, r.Found)
			}
			if h == Overrun {
				testkit.Must(trial.Keep(dir, r.Hazard, &r.Found[i]))(t)
			}
		}
	}
}
