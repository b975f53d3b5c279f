package bubble_test

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// TestCancel: after a context is cancelled, go-redis sends nothing that is called with it
// (internal/pool gives it no connection), and reads the reply to what it has sent before
// (baseClient.context drops the caller's context). So the client gets the lock that it has
// asked for, works no more, and its release on that context sends nothing. A release on a
// context of its own does. A sleeper wakes at once.
func TestCancel(t *testing.T) {
	const enters, leaves = "enters the critical section, reads stock = 1, ", "stops its work: its context is cancelled, "
	const leaks, releases = "release failed: context canceled", "DELEX lock:stock IFEQ A-1 -> 1, release -> released"
	for _, test := range []struct{ lock, before, want string }{
		{"set-del work=2s", "A", "SET lock:stock A-1 EX 5 NX -> OK, acquire -> acquired, " + enters + leaves + leaks},
		{"set-del work=2s", "A A.apply", "SET lock:stock A-1 EX 5 NX -> OK, acquire -> acquired, " + enters + leaves + leaks},
		{"set-del work=2s", "A A.lose-reply +5001", "no reply after 1s: timeout, acquire -> unknown: i/o timeout"},
		{"set-del work=2s", "A*2", enters + leaves + leaks},
		{"set-del work=2s", "A*4", leaves + leaks},
		{"set-del", "A*4", "writes stock = 0, leaves the critical section, " + leaks},
		{"delex-ifeq work=2s", "A*2", enters + leaves + releases},
		{"delex-ifeq work=2s", "A*4", leaves + releases},
		{"delex-ifeq", "A*6", releases},
		{"set-del wait=2s rounds=2", "A A.lose-request +1001", "no reply after 1s: timeout, acquire -> unknown: i/o timeout"},
	} {
		for name, start := range map[string]func(history.Config, program.Subject, string) program.Code{"coroutine": nil, "bubble": bubble.Start} {
			c := testkit.Must(history.ParseConfig("clients=A strategy=" + test.lock))(t)
			s := testkit.Must(scenarios.SubjectOf(c.Strategy))(t)
			s.Start = start
			w := testkit.Must(world.New(c, s))(t)
			testkit.OK(t, w.Run(testkit.Must(history.ParseSchedule(test.before+" A.cancel"))(t)))
			before := len(w.History().Events)
			for step := (history.Action{Verb: history.Step, Client: "A"}); w.Refusal(step).No(); {
				testkit.OK(t, w.Perform(step))
			}
			var got []string
			for _, l := range history.Lines(w.History().Events[before:], 1) {
				got = append(got, l.Text.String())
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("%s %s, cancelled after %s: %s\nwant: %s", name, test.lock, test.before, got, test.want)
			}
			if again := w.Refusal(history.Action{Verb: history.Cancel, Client: "A"}).String(); again != "A is done" {
				t.Errorf("%s %s, cancelled after %s, and again: %q", name, test.lock, test.before, again)
			}
			w.Close()
		}
	}
}
