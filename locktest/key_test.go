package locktest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// prefixed is a lock that puts a prefix before its key.
func prefixed(prefix string, m mistake) Factory {
	return func(c Client) (Lock, error) {
		c.Key = prefix + c.Key
		return withMistake(m)(c)
	}
}

// counted is a right lock that also counts its acquisitions.
func counted(prefix string) Factory {
	return func(c Client) (Lock, error) {
		l, err := prefixed(prefix, none)(c)
		if err != nil {
			return nil, err
		}
		return Funcs(func(ctx context.Context) error {
			if err := l.Lock(ctx); err != nil {
				return err
			}
			return c.Redis.Incr(ctx, prefix+c.Key+":count").Err()
		}, l.Unlock), nil
	}
}

// unlocked only looks whether the key is there, and nobody writes it.
func unlocked(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		n, err := c.Redis.Exists(ctx, c.Key).Result()
		if err == nil && n > 0 {
			err = ErrNotAcquired
		}
		return err
	}, func(context.Context) error { return nil }), nil
}

const takenKey = "the lock is at locks:lock:stock"

// TestAnotherKey: the only key that acquisitions write is the lock's, and the report names
// it where it is not the Client's. Of several, the test has to say which it is. A key that
// the test names is not another one.
func TestAnotherKey(t *testing.T) {
	testkit.Single(t)
	for _, test := range []struct {
		what    string
		lock    Factory
		opts    []Option
		verdict explore.Verdict
		says    string // the reason begins so
		at      string // the assumptions say so
	}{
		{"a prefix", prefixed("locks:", none), nil, explore.Holds, "", takenKey},
		{"named", prefixed("locks:", none), []Option{Key("locks:lock:stock")}, explore.Holds, "", takenKey},
		{"on three nodes", threeNodes, []Option{Nodes(3)}, explore.Holds, "", takenKey},
		{"of goroutines", prefixed("locks:", none), []Option{Goroutines(2)}, explore.Holds, "", takenKey},
		{"no prefix", prefixed("", none), nil, explore.Holds, "", ""},
		{
			"another name", prefixed("locks:", none), []Option{Key("lock:other")}, explore.Inconclusive,
			"an acquisition writes locks:lock:stock, and not lock:other: say with locktest.Key which key is the lock's", "",
		},
		{
			"two keys", counted("locks:"), nil, explore.Inconclusive,
			"an acquisition writes locks:lock:stock, locks:lock:stock:count, and not lock:stock: say with locktest.Key which key is the lock's", "",
		},
		{"two keys, one named", counted("locks:"), []Option{Key("locks:lock:stock")}, explore.Holds, "", takenKey},
		{"two keys, one the client's", counted(""), nil, explore.Holds, "", ""},
		{"no key", unlocked, nil, explore.Violated, "", ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			r := Tried(t, test.lock, "contention", test.opts...)
			if r == nil {
				return
			}
			if r.Verdict != test.verdict || !strings.HasPrefix(r.Reason, test.says) {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
			if at := strings.Contains(r.Assumptions, "the lock is at "); at != (test.at != "") || !strings.Contains(r.Assumptions, test.at) {
				t.Errorf("assumes %s", r.Assumptions)
			}
			hints := trial.Hints([]*trial.Report{r})
			if keyless := strings.Contains(fmt.Sprint(hints), "an acquisition writes no key: nothing is locked"); keyless != (test.what == "no key") {
				t.Errorf("hints: %v", hints)
			}
		})
	}
}

// threeNodes is a lock that is acquired where it has two of three nodes. The same key on
// each is one key.
func threeNodes(c Client) (Lock, error) {
	return Strategy(func(e strategies.Env) strategies.Lock {
		e.Key = "locks:" + e.Key
		redlock, _ := strategies.Find("redlock")
		return redlock.New(e)
	})(c)
}

// TestTakenKey: a bare DEL releases another client's lease under overrun, whatever the
// name of the key. Its token replays to the same violation, of the same key, in a process
// that has not probed the lock, and so does a kept counterexample. The code goes on getting
// the same key, so that its own has one prefix.
func TestTakenKey(t *testing.T) {
	testkit.Single(t)
	for _, test := range []struct {
		lock mistake
		want explore.Verdict
	}{
		{noToken, explore.Violated}, {none, explore.Holds},
	} {
		t.Run(string(test.lock), func(t *testing.T) {
			f, o := prefixed("locks:", test.lock), defaults()
			o.plan.Hazards = []string{"overrun"}
			r := reports(t, f, &o)[0]
			if r.Verdict != test.want || !strings.Contains(r.Assumptions, takenKey) {
				t.Fatalf("%s: %s; %s", r.Verdict, r.Reason, r.Assumptions)
			}
			for _, found := range r.Found {
				if found.Allowed == "" && found.Invariant == history.PhantomHold {
					t.Errorf("%s", found.Says)
				}
			}
			if test.lock == none {
				return
			}
			at := slices.IndexFunc(r.Found, func(f trial.Found) bool { return f.Invariant == history.ForeignRelease })
			if at < 0 || !strings.Contains(r.Found[at].Says, "A removed locks:lock:stock, which B held") {
				t.Fatalf("%+v", r.Found)
			}
			replays(t, f, r.Found[at])
		})
	}
}

// replays replays a violation's token, and keeps it, with a trial that knows of no key.
func replays(t *testing.T, f Factory, found trial.Found) {
	t.Helper()
	o := defaults()
	subject := o.plan.Subject(bubble.Start)
	subject.New = f.build(&o)
	tr := trial.New(t.Context(), o.plan, o.limit, "tutorial", subject)
	defer tr.Close()
	tr.Host, tr.Kept = &here{says: &o.says}, t.TempDir()
	config, schedule, err := history.ParseToken(found.Token)
	testkit.OK(t, err)
	run := testkit.Must(scenarios.Replay(t.Context(), config, schedule))(t)
	if i := history.FirstOf(run.Violations, found.Invariant); i < 0 || run.Violations[i].Key != "locks:lock:stock" {
		t.Errorf("%+v", run.Violations)
	}
	for _, e := range run.History.Events {
		for _, cmd := range e.Cmds {
			if strings.Contains(strings.Join(cmd, " "), "locks:locks:") {
				t.Errorf("%q", cmd)
			}
		}
	}
	testkit.Must(trial.Keep(tr.Kept, "overrun", &found))(t)
	h, _ := explore.FindHazard("overrun")
	if again := tr.Try(t.Context(), h); len(again.Found) != 1 || again.Found[0].Says != found.Says || again.Found[0].Kept == "" {
		t.Errorf("%+v", again)
	}
}
