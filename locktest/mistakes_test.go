package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/program"
)

// A tutorialLock is a correct lock of twenty lines, into which a test puts one
// mistake.
type tutorialLock struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
	token string
	held  string
	tries int
	wrong mistake
	stop  func()
}

type mistake string

const (
	none             mistake = "none"
	expireApart      mistake = "expire by a second command"
	noToken          mistake = "release without a token"
	compareHere      mistake = "compare in the client"
	wrongUnit        mistake = "milliseconds taken for seconds"
	lastsForever     mistake = "seconds taken for nanoseconds: no TTL"
	unlockBefore     mistake = "unlock deferred before the check"
	renewAnybodys    mistake = "renewal without a look at the owner"
	retryFrees       mistake = "a retry that frees"
	tokenReused      mistake = "one token for all"
	errorIsSuccess   mistake = "an error taken for success"
	successIsError   mistake = "success taken for an error"
	noFallback       mistake = "a script that is never loaded again"
	cancelledCleanup mistake = "clean-up with a context that is done"
	shortRefresh     mistake = "a refresh that shortens"
	outlives         mistake = "a watchdog that outlives the lock"
	overwrites       mistake = "SET without NX"
	argumentsSwapped mistake = "TTL and token swapped"
	releasesNothing  mistake = "release of another key"
	tokenLostOnRetry mistake = "a token that is drawn before it is known"
	deadlineBefore   mistake = "a deadline computed before the command"
	reentryByNumber  mistake = "re-entry by the number of a goroutine"
	anothersHandle   mistake = "release by another client's handle"
	halfIsEnough     mistake = "a quorum of half"
	oneKeyForTwo     mistake = "one key for two locks"
	comparesPrefix   mistake = "a token compared by its beginning"
	ownInterval      mistake = "a renewal interval that ignores the TTL"
	newToken         mistake = "a new token for each try"
	neverWaits       mistake = "a wait that is none"

	renewsRightly mistake = "none, and it renews"
	refusesShort  mistake = "none, and it refuses a TTL below 3 s"
)

var compareAndDelete = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

var compareBeginning = redis.NewScript(`local v = redis.call("get", KEYS[1]) if v and string.sub(v, 1, #ARGV[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

var compareAndExpire = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`)

func (l *tutorialLock) Lock(ctx context.Context) error {
	token := l.token
	switch l.wrong {
	case tokenReused:
		token = "locked"
	case newToken:
		l.tries++
		token = fmt.Sprintf("%s-%d", token, l.tries)
	}
	if l.wrong == tokenLostOnRetry {
		l.held = fmt.Sprintf("%s.%d", token, time.Now().UnixNano())
		token = l.held
	}
	ok, err := l.acquire(ctx, token)
	if err == nil && !ok && l.wrong == reentryByNumber {
		owner, _ := l.redis.Get(ctx, l.key).Result()
		ok = owner == token // it is ours already
	}
	if err == nil && !ok && l.wrong == neverWaits {
		for range 3 {
			time.Sleep(time.Duration(l.ttl.Seconds())) // nanoseconds
			ok, err = l.acquire(ctx, token)
		}
	}
	switch {
	case err != nil && l.wrong == errorIsSuccess:
	case err != nil:
		return err
	case !ok:
		switch l.wrong {
		case unlockBefore:
			_ = l.redis.Del(ctx, l.key).Err()
		case retryFrees:
			_ = l.redis.Del(ctx, l.key).Err()
			if ok, err := l.acquire(ctx, token); err == nil && ok {
				break
			}
			return ErrNotAcquired
		}
		if l.wrong != retryFrees {
			return ErrNotAcquired
		}
	}
	l.held = token
	l.watch()
	if l.wrong == successIsError {
		return errors.New("unexpected reply")
	}
	return nil
}

func (l *tutorialLock) acquire(ctx context.Context, token string) (bool, error) {
	switch l.wrong {
	case expireApart:
		ok, err := l.redis.SetNX(ctx, l.key, token, 0).Result()
		if err == nil && ok {
			err = l.redis.PExpire(ctx, l.key, l.ttl).Err()
		}
		return ok, err
	case wrongUnit:
		return l.redis.SetNX(ctx, l.key, token, l.ttl/1000).Result()
	case lastsForever:
		return l.redis.SetNX(ctx, l.key, token, 0).Result()
	case deadlineBefore:
		deadline := time.Now().Add(l.ttl)
		for range 2 {
			ok, err := l.redis.SetArgs(ctx, l.key, token, redis.SetArgs{Mode: "NX", ExpireAt: deadline}).Result()
			if err != redis.Nil {
				return ok == "OK", err
			}
			time.Sleep(l.ttl * 4 / 5)
		}
		return false, nil
	case overwrites:
		return true, l.redis.Set(ctx, l.key, token, l.ttl).Err()
	case argumentsSwapped:
		err := l.redis.Do(ctx, "SET", l.key, l.ttl.Milliseconds(), "NX", "PX", 1).Err()
		if errors.Is(err, redis.Nil) {
			return false, nil
		}
		return err == nil, err
	}
	return l.redis.SetNX(ctx, l.key, token, l.ttl).Result()
}

// watch renews the lease in the background, where a mistake is about that.
func (l *tutorialLock) watch() {
	every := l.ttl / 3
	switch l.wrong {
	default:
		return
	case renewAnybodys, shortRefresh, outlives, renewsRightly:
	case ownInterval:
		every = 7 * time.Second
	case refusesShort:
		every = time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stop = cancel
	token := l.held
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			switch l.wrong {
			case renewAnybodys, outlives:
				if l.redis.PExpire(ctx, l.key, l.ttl).Err() != nil {
					return
				}
			case ownInterval, renewsRightly, refusesShort:
				if n, err := compareAndExpire.Run(ctx, l.redis, []string{l.key}, token, l.ttl.Milliseconds()).Int(); err != nil || n == 0 {
					return
				}
			case shortRefresh:
				if n, err := compareAndExpire.Run(ctx, l.redis, []string{l.key}, token, l.ttl.Milliseconds()/100).Int(); err != nil || n == 0 {
					return
				}
			}
		}
	}()
}

func (l *tutorialLock) Unlock(ctx context.Context) error {
	if l.stop != nil && l.wrong != outlives {
		l.stop()
	}
	switch l.wrong {
	case noToken:
		return l.redis.Del(ctx, l.key).Err()
	case compareHere:
		value, err := l.redis.Get(ctx, l.key).Result()
		if err != nil || value != l.held {
			return ErrLost
		}
		return l.redis.Del(ctx, l.key).Err()
	case anothersHandle:
		l.held, _ = l.redis.Get(ctx, l.key).Result()
	case releasesNothing:
		return l.redis.Del(ctx, l.key+":lock").Err()
	case cancelledCleanup:
		done, cancel := context.WithCancel(ctx)
		cancel()
		ctx = done
	case noFallback:
		return released(compareAndDelete.EvalSha(ctx, l.redis, []string{l.key}, l.held).Int())
	}
	release := compareAndDelete
	if l.wrong == comparesPrefix {
		release = compareBeginning
	}
	return released(release.Run(ctx, l.redis, []string{l.key}, l.held).Int())
}

func withMistake(m mistake) Factory {
	return func(c Client) (Lock, error) {
		if m == noFallback && c.Name == "A" {
			if err := compareAndDelete.Load(context.Background(), c.Redis).Err(); err != nil {
				return nil, err
			}
		}
		if m == refusesShort && c.TTL < 3*time.Second {
			return nil, errors.New("a lease lasts 3 s at least")
		}
		l := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name + "-token", wrong: m}
		switch m {
		case reentryByNumber:
			l.token = "goroutine 1" // every process counts its own
		case comparesPrefix:
			l.token = "lock-of-" + c.Name
		case halfIsEnough:
			return onNodes(c, len(c.Nodes)/2), nil
		case oneKeyForTwo:
			return both{l, &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name + "-other"}}, nil
		}
		return l, nil
	}
}

// both are two locks, for work that needs two things.
type both [2]Lock

func (b both) Lock(ctx context.Context) error {
	if err := b[0].Lock(ctx); err != nil {
		return err
	}
	if err := b[1].Lock(ctx); err != nil {
		_ = b[0].Unlock(ctx)
		return err
	}
	return nil
}

func (b both) Unlock(ctx context.Context) error {
	return errors.Join(b[1].Unlock(ctx), b[0].Unlock(ctx))
}

// onNodes is a lock that is held by whoever has so many nodes.
func onNodes(c Client, enough int) Lock {
	nodes := make([]Lock, len(c.Nodes))
	for i, node := range c.Nodes {
		nodes[i] = &tutorialLock{redis: node, key: c.Key, ttl: c.TTL, token: c.Name + "-token"}
	}
	unlock := func(ctx context.Context) error {
		for _, node := range nodes {
			_ = node.Unlock(ctx)
		}
		return nil
	}
	return Funcs(func(ctx context.Context) error {
		n := 0
		for _, node := range nodes {
			if node.Lock(ctx) == nil {
				n++
			}
		}
		if n >= enough {
			return nil
		}
		return errors.Join(ErrNotAcquired, unlock(ctx))
	}, unlock)
}

// TestMistakes puts one mistake after the other into a lock that has none. The
// default options find each, under that hazard among others.
func TestMistakes(t *testing.T) {
	testkit.Single(t)
	for _, test := range testkit.Some(t, []struct {
		wrong             mistake
		hazard, invariant string
		nodes             int // 0 for one
	}{
		{expireApart, "crash", "lock-recovers", 0},
		{noToken, "overrun", "foreign-release", 0},
		{compareHere, "overrun", "foreign-release", 0},
		{wrongUnit, "contention", "phantom-hold", 0},
		{lastsForever, "crash", "lock-recovers", 0},
		{unlockBefore, "contention", "foreign-release", 0},
		{renewAnybodys, "overrun", "foreign-renewal", 0},
		{retryFrees, "contention", "foreign-release", 0},
		{tokenReused, "overrun", "equal-tokens", 0},
		{errorIsSuccess, "partition", "phantom-hold", 0},
		{successIsError, "contention", "lock-recovers", 0},
		{noFallback, "script-flush", "leak", 0},
		{cancelledCleanup, "contention", "leak", 0},
		{shortRefresh, "contention", "phantom-hold", 0},
		{outlives, "contention", "foreign-renewal", 0},
		{overwrites, "contention", "phantom-hold", 0},
		{argumentsSwapped, "contention", "phantom-hold", 0},
		{releasesNothing, "contention", "leak", 0},
		{tokenLostOnRetry, "reentry", "leak", 0},
		{deadlineBefore, "contention", "phantom-hold", 0},
		{reentryByNumber, "contention", "phantom-hold", 0},
		{anothersHandle, "overrun", "foreign-release", 0},
		{halfIsEnough, "contention", "phantom-hold", 4},
		{oneKeyForTwo, "contention", "lock-recovers", 0},
		{comparesPrefix, "overrun", "foreign-release", 0},
		{ownInterval, "long-work", "phantom-hold", 0},
	}, 7, 7) {
		t.Run(string(test.wrong), func(t *testing.T) {
			hazards := []string{test.hazard}
			if testkit.Size(t, 1, 1) >= 10 {
				hazards = nil
			}
			found := violations(t, withMistake(test.wrong), max(1, test.nodes), hazards...)
			if !slices.Contains(found, test.hazard+" "+test.invariant) {
				t.Errorf("found %s", strings.Join(found, ", "))
			}
		})
	}
}

// TestNoMistake: the lock into which they are put passes.
func TestNoMistake(t *testing.T) {
	hazards := []string{"contention", "crash", "lost-reply", "reentry", "partition", "script-flush"}
	if testkit.Size(t, 1, 1) >= 10 {
		hazards = nil
	}
	if found := violations(t, withMistake(none), 1, hazards...); len(found) > 0 {
		t.Errorf("found %s", strings.Join(found, ", "))
	}
}

// TestGood: so it does by Check, in processes of its own.
func TestGood(t *testing.T) {
	Check(t, withMistake(none), Hazards(testkit.Some(t, []Hazard{
		Contention, Partition, Crash, Overrun, Hang, ClientClock, LostReply, LateRequest, Reentry, Failover, NodeRestart, NodeClock, Eviction, ScriptFlush,
	}, 5, 3)...))
}

// violations lists what the contract does not allow, as hazard and invariant.
func violations(t *testing.T, f Factory, nodes int, hazards ...string) (found []string) {
	t.Helper()
	o := defaults()
	o.plan.Hazards, o.plan.Nodes = hazards, nodes
	return violationsOf(t, f, &o)
}

// violationsOf lists the same for a plan.
func violationsOf(t *testing.T, f Factory, o *options) (found []string) {
	t.Helper()
	for _, r := range reports(t, f, o) {
		for _, v := range r.Found {
			if v.Allowed == "" {
				found = append(found, r.Hazard+" "+v.Invariant)
				t.Logf("%s: %s", r.Hazard, v.Text(nil, "lockstep check"))
				if !v.Shortest && len(o.plan.Hazards) > 0 { // under all of them, some are too large
					t.Errorf("%s under %s: not proven shortest", v.Invariant, r.Hazard)
				}
			}
		}
	}
	return found
}

// reports tries a lock as planned. An undecided hazard is an error.
func reports(t *testing.T, f Factory, o *options) []*trial.Report {
	t.Helper()
	all, _ := tryHere(t, f, o)
	for _, r := range all {
		if r.Verdict == "INCONCLUSIVE" {
			t.Errorf("%s: %s", r.Hazard, r.Reason)
		}
	}
	return all
}

// here is this process as the lock's.
type here struct {
	traits program.Traits
	says   *says
}

func (h *here) Sockets() error         { return nil }
func (h *here) Traits() program.Traits { h.traits.Returned = h.says.returned(); return h.traits }
func (h *here) Adapted() bool          { return false }
func (h *here) Adapt() error           { return errors.New("this process is as it is") }

// inProcess is a lock in this process.
func inProcess(f Factory) program.Subject {
	return program.Subject{New: f.build(&options{}), Nodes: 1, Start: bubble.Start}
}

// trialHere is a trial of a lock in this process.
func trialHere(t *testing.T, f Factory, opts ...Option) *trial.Trial {
	t.Helper()
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	tr := trial.New(t.Context(), o.plan, time.Minute, "here", program.Subject{New: f.build(&o), Nodes: 1, Start: bubble.Start})
	t.Cleanup(tr.Close)
	tr.Host = &here{says: &o.says}
	return tr
}

// under tries a lock under a hazard.
func under(t *testing.T, tr *trial.Trial, hazard Hazard) *trial.Report {
	h, _ := explore.FindHazard(hazard.String())
	return tr.Try(t.Context(), h)
}

// TestHints: what looks like a mistake and violates nothing is named.
func TestHints(t *testing.T) {
	testkit.Single(t)
	if got := hints(t, neverWaits, "contention"); len(got) != 1 || !strings.Contains(got[0], "at the same moment") {
		t.Errorf("%q", got)
	}
	for _, m := range []mistake{none, newToken} { // that the second is kept out by itself is allowed, with the reason
		if got := hints(t, m, "contention", "lost-reply", "partition", "reentry"); len(got) > 0 {
			t.Errorf("%s: %q", m, got)
		}
	}
}

func hints(t *testing.T, m mistake, hazards ...string) (list []string) {
	o := defaults()
	o.plan.Hazards = hazards
	return hintsOf(t, withMistake(m), &o)
}

func hintsOf(t *testing.T, f Factory, o *options) (list []string) {
	for _, hint := range trial.Hints(reports(t, f, o)) {
		list = append(list, hint.String())
	}
	return list
}
