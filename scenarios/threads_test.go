package scenarios

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// notInABubble are the stories that differ for a lock that keeps its own time, and
// why.
var notInABubble = map[string]string{
	"a_pause_before_the_validity_check_is_seen": "it stops where a clock is about to be read, and nobody can do that there",
	"loosely_equal_ids":                         "its tokens are made of microseconds, and whatever is learnt there takes one",
	"a_resent_acquire_counts_twice":             "go-redis draws at random how long to wait before it sends again",
	"go_redis_resends_the_acquire":              "the same",
	"a_lost_message_leaves_it_asleep":           "it stops where a message is waited for, and go-redis subscribes in another thread there, which has not sent yet",
	"a_lost_message_delays_only":                "the same",
	"a_lost_reply_leaves_a_lock_without_ttl":    "a lock that polls a hundred times a second is slow to be found out there",
}

// TestStoriesInABubble: a lock's story has the same result when the lock keeps its
// own time, though its threads have other numbers and their sleeps do not show.
func TestStoriesInABubble(t *testing.T) {
	testkit.Single(t)
	t.Parallel()
	stories := allStories(t)
	for _, info := range strategies.Catalogue() {
		Register(info.ID+"-in-a-bubble", inABubble(t, info.ID))
	}
	for _, s := range testkit.Some(t, stories, 20, 20) {
		if notInABubble[s.Name] != "" {
			continue
		}
		want := testkit.Must(Run(t.Context(), s))(t)
		got, err := RunAgainst(t.Context(), s, s.Strategy()+"-in-a-bubble")
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if got, want := invariants(got), invariants(want); !slices.Equal(got, want) {
			t.Errorf("%s: violates %q in a bubble, %q on a coroutine", s.Name, got, want)
		}
		if len(got.Skipped) > 0 {
			t.Errorf("%s: no occasion for %q", s.Name, got.Skipped)
		}
	}
}

func inABubble(t *testing.T, id string) program.Subject {
	t.Helper()
	subject := testkit.Must(SubjectOf(id))(t)
	subject.Start = bubble.Start
	return subject
}

// invariants lists those that a run violates, once per violation.
func invariants(r *Result) (list []string) {
	for _, v := range r.Violations {
		list = append(list, v.Invariant)
	}
	slices.Sort(list)
	return list
}

// TestThreads: a story about code that keeps its own time uses the thread numbers of
// its transcripts; a thread that only a timer wakes takes the timer's step.
func TestThreads(t *testing.T) {
	Register("watchdog-in-a-bubble", inABubble(t, "watchdog-lua"))
	got := asExpected(t, `world strategy=watchdog-in-a-bubble clients=A ttl=6s work=7s
----
watchdog-in-a-bubble: A

run A until=after:read
----
A    SET lock:stock A-1 NX PX 6000 -> OK                     strategies/watchdog_lua.go:34
A    acquire -> acquired
A    enters the critical section
A    reads stock = 1
A    sleeps 7s

advance 2s
----
     time 0s -> 2s

# A's main thread sleeps on: the timer that ends is the watchdog's.
step A
----
A    is about to: wait for another thread or for time

step A/2
----
A/2  EVALSHA {9f576d} 1 lock:stock A-1 6000 -> (error) NOSCRIPT strategies/watchdog_lua.go:62

run A/2 until=after:EVAL
----
A/2  EVAL {script} 1 lock:stock A-1 6000 -> 1                strategies/watchdog_lua.go:62

# The goroutine sleeps, and has no number until it comes again.
run A/2 until=before:EVALSHA
----
     time 2s -> 4s

step A/2
----
A/2  EVALSHA {9f576d} 1 lock:stock A-1 6000 -> 1             strategies/watchdog_lua.go:62

advance 3s
----
     time 4s -> 7s
`)
	if text := got.History.Schedule.String(); !strings.Contains(text, "A/1") {
		t.Errorf("no step of the timer in %s", text)
	}
}

// TestPollingInABubble: a client that was refused and will try again has not ended
// its operation, though its sleep does not show.
func TestPollingInABubble(t *testing.T) {
	Register("set-lua-in-a-bubble", inABubble(t, "set-lua"))
	asExpected(t, `world strategy=set-lua-in-a-bubble clients=A,B wait=200ms
----
set-lua-in-a-bubble: A, B

run B until=in-critical
----
B    SET lock:stock B-1 NX PX 5000 -> OK                     strategies/set_lua.go:29
B    acquire -> acquired
B    enters the critical section

run A until=before:EVAL
----
A    SET lock:stock A-1 NX PX 5000 -> nil                    strategies/set_lua.go:29
A    acquire -> refused
A    sleeps 100ms
     time 0s -> 100ms
A    SET lock:stock A-2 NX PX 5000 -> nil                    strategies/set_lua.go:29
A    acquire -> refused
A    sleeps 100ms
     time 100ms -> 200ms
A    SET lock:stock A-3 NX PX 5000 -> nil                    strategies/set_lua.go:29
A    acquire -> refused
     before:EVAL did not come
`)
}

// asExpected plays a story whose output must match.
func asExpected(t *testing.T, text string) *Result {
	t.Helper()
	s, result := played(t, text)
	if wrong := result.Mismatch(s); wrong != nil {
		t.Errorf("%v\n%s", wrong, rewritten(t, s, result.Outputs()))
	}
	return result
}

// TestWipeOnZooKeeper: an ensemble loses no data, so a story cannot say that it does.
func TestWipeOnZooKeeper(t *testing.T) {
	s := testkit.Must(Parse("wipe.txt", "wipe", "world strategy=zk-sequential clients=A\nwipe r1\n"))(t)
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "loses no data; use restart") {
		t.Errorf("%v", err)
	}
}
