package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// played is what came of a story, if it could be read.
func played(t *testing.T, s *scenarios.Story, err error) *scenarios.Result {
	t.Helper()
	testkit.OK(t, err)
	r := testkit.Must(scenarios.Run(t.Context(), s))(t)
	return r
}

// causesOf finds the causes of the first violation of an invariant.
func causesOf(t *testing.T, r *scenarios.Result, invariant string) []explain.Cause {
	t.Helper()
	i := slices.IndexFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == invariant })
	a := testkit.Must(scenarios.Explain(t.Context(), r.History, r.Violations[i]))(t)
	return a.Causes
}

// codeAlone are violations that nothing but the lock's own code brings about.
var codeAlone = []string{
	"the_lock_that_never_asked phantom-hold A", "the_lock_that_never_asked phantom-hold B",
	"the_losers_expire_renews_the_dead overwritten-lease B", // the second time: whatever A does, it asks with a write
	"the_release_that_never_ran leak A", "reentrant-misprint phantom-hold A", "reentrant-leak leak A",
	"pubsub-wakeup lock-recovers A", "zk-blind lock-recovers A", // without a fault: whoever waits then hears of no release
	"a_failed_expire_rolls_nothing_back lock-recovers ", // its value is no number
}

// TestEveryStory: every violation of every story has causes, unless the lock's
// code does it alone; without any one of them it is gone, as a replay shows that
// shares nothing with the search for them; what is said of it is in the run; and what would have saved it
// does.
func TestEveryStory(t *testing.T) {
	testkit.Single(t)
	stories := scenarios.Stories()
	for _, s := range testkit.Some(t, stories, 22, 22) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r := played(t, s, nil)
			for _, v := range r.Violations {
				check(t, s.Name, r.History, v)
			}
		})
	}
}

// TestEveryCounterexample: the same of what the explorer finds.
func TestEveryCounterexample(t *testing.T) {
	testkit.Single(t)
	counterexamples(t, func(t *testing.T, h history.History, v history.Violation) {
		check(t, h.Config.Strategy, h, v)
	})
}

func check(t *testing.T, run string, h history.History, v history.Violation) {
	a := testkit.Must(scenarios.Explain(t.Context(), h, v))(t)
	checkCauses(t, run, h, v, a.Causes)
	checkWords(t, run, h, v, a)
	for _, r := range a.Remedies {
		checkRemedy(t, run, h, v, r)
	}
	checkIfOnly(t, run+" "+v.Invariant+" "+v.Client, h, v, a)
}

func checkCauses(t *testing.T, run string, h history.History, v history.Violation, found []explain.Cause) {
	t.Helper()
	id := fmt.Sprintf("%s %s %s", run, v.Invariant, v.Client)
	waits := []string{history.SelfDeadlock, history.LockRecovers, history.LostWakeup}
	nested := slices.Contains(waits, v.Invariant) && h.Config.Nest > 1 // a call within a call
	if len(found) == 0 && !slices.Contains(codeAlone, id) && !nested {
		t.Errorf("%s: no cause", id)
	}
	for _, c := range found {
		if !c.Either {
			checkWithout(t, id, h, v, c)
		}
	}
}

// TestCauses: what the stories were written to show, by those who wrote them.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		story, invariant string
		want             []string
	}{
		{"a_crash_between_setnx_and_expire", history.LockRecovers, []string{"fault A crashes before EXPIRE lock:stock 5"}},
		{"a_pause_beats_every_lease", history.StaleWrite, []string{"lease r1 lock:stock expires (was A-1)", "order B reads stock = 1"}},
		{"del_removes_the_next_holders_lock", history.StaleWrite, []string{"lease r1 lock:stock expires (was A-1)", "order A DEL lock:stock -> 1", "order C reads stock = 1"}},
		{"a_fast_clock_steals_a_live_lock", history.StaleWrite, []string{"fault B its clock jumps by 10s", "order B reads stock = 1"}},
		{"an_evicted_lock_lets_a_second_in", history.MutualExclusion, []string{"order A enters the critical section", "fault r1 evicts lock:stock (was A-1)"}},
		{"a_lost_reply_locks_its_sender_out", history.SelfDeadlock, []string{
			"order B EVALSHA {21a618} 1 lock:stock B-1 -> 1", "fault A SET lock:stock A-1 NX PX 5000 -> OK"}},
		{"the_release_that_never_ran", history.Leak, nil},
		{"a_cache_rebuilt_by_all", history.StaleWrite, []string{ // not B's lease, of which that of A says nothing
			"lease r1 lock:cache expires (was A-1)"}},
		{"the_losers_expire_renews_the_dead", history.LockRecovers, []string{
			"fault A crashes before read stock", "renewal B MULTI; SETNX lock:stock B-2; EXPIRE lock:stock 3; EXEC -> [0 1]"}},
		{"the_watchdog_of_a_hung_worker", history.LockRecovers, []string{
			"fault A hangs before read stock", "renewal A/1 EXPIRE lock:stock 6 -> 1"}},
		{"a_message_before_the_subscription", history.LostWakeup, []string{"order A EVALSHA {01b76c} 1 lock:stock A-1 -> 1"}},
		{"a_lost_message_leaves_it_asleep", history.LostWakeup, []string{
			"order A EVALSHA {01b76c} 1 lock:stock A-1 -> 1",
			"fault B what r1 sent it is lost with its connection: [message lock:stock:free ]"}},
		{"a_dead_holder_publishes_nothing", history.LostWakeup, []string{ // a release after its lease publishes nothing either
			"order A SET lock:stock A-1 NX PX 5000 -> OK", "fault A crashes before read stock", "lease r1 lock:stock expires (was A-1)"}},
		{"a_crash_takes_the_element_along", history.LockRecovers, []string{"fault A crashes before read stock"}},
		{"a_lost_reply_takes_the_element_along", history.LockRecovers, []string{"fault A BLPOP lock:stock 5 -> [lock:stock element]"}},
	} {
		t.Run(tt.story, func(t *testing.T) {
			s, err := scenarios.Find(tt.story)
			r := played(t, s, err)
			found := causesOf(t, r, tt.invariant)
			var got []string
			for _, c := range found {
				text := string(c.Kind) + " " + lineOf(r, c.Seq)
				got = append(got, strings.TrimSuffix(strings.TrimSuffix(text, ", reply on the way"), ", but the reply is lost"))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("causes\n %q\nwant\n %q", got, tt.want)
			}
		})
	}
}

// lineOf is the transcript's line of an event: who, and what.
func lineOf(r *scenarios.Result, seq int) string {
	l, _ := r.History.LineOf(seq)
	return l.Said().String()
}

// TestEither: two of three votes are enough, so that of three nodes that give up
// the lock none is needed, but two together are.
func TestEither(t *testing.T) {
	s, err := scenarios.Parse("either.txt", "either", `world strategy=redlock clients=A,B ttl=5s nodes=3
----

run A until=in-critical
----

evict r1
----

evict r2
----

evict r3
----

run B until=in-critical
----
`)
	r := played(t, s, err)
	found := causesOf(t, r, history.MutualExclusion)
	var got []string
	for _, c := range found {
		got = append(got, fmt.Sprint(c.Kind, " ", c.Either, " ", lineOf(r, c.Seq)))
	}
	want := []string{"order false A enters the critical section", "fault true r2 evicts lock:stock (was A-1)", "fault true r3 evicts lock:stock (was A-1)"}
	if !slices.Equal(got, want) {
		t.Errorf("causes\n %q\nwant\n %q", got, want)
	}
}

// TestTooLong: a run of thousands of steps is not played thousands of times.
func TestTooLong(t *testing.T) {
	testkit.Single(t)
	s, err := scenarios.Parse("long.txt", "long", `world strategy=setnx clients=A,B wait=1h poll=1s
----

run A until=in-critical
----

crash A
----

run B for=30m
----

check
----
`)
	r := played(t, s, err)
	if len(r.History.Schedule) < 1000 || len(r.Violations) == 0 {
		t.Fatalf("%d actions, %d violations", len(r.History.Schedule), len(r.Violations))
	}
	v := r.Violations[0]
	v.Seq = len(r.History.Events) - 1
	if _, err := scenarios.Explain(t.Context(), r.History, v); !errors.Is(err, explain.ErrTooLong) {
		t.Errorf("%v", err)
	}
}

// TestInterrupted: the search ends with its context.
func TestInterrupted(t *testing.T) {
	s, err := scenarios.Find("a_pause_beats_every_lease")
	r := played(t, s, err)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := scenarios.Explain(ctx, r.History, r.Violations[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
