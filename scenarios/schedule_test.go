package scenarios

import (
	"bytes"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// everyVerb has configurations, schedules and their commands.
const everyVerb = `strategy=setnx clients=A,B | A | step A
strategy=setnx clients=A,B | A A.send A.apply A | step A, send A, apply A, step A
strategy=setnx clients=A,B | A A.lose-request | step A, lose request A
strategy=setnx clients=A,B | B B.lose-reply | step B, lose reply B
strategy=setnx clients=A,B | A A.send A.crash A.late | step A, send A, crash A, late A
strategy=setnx clients=A,B | A.hang | hang A
strategy=setnx clients=A,B | A.pause A | pause A, step A
strategy=setnx clients=A,B | A A.cancel | step A, cancel A
strategy=setnx clients=A,B | A.jump+10000 | clock A +10s
strategy=setnx clients=A,B | A.jump-1500 | clock A -1.5s
strategy=setnx clients=A,B | B.rate+1100 | clock B rate=1.1
strategy=setnx clients=A,B | B.rate+1 | clock B rate=0.001
strategy=setnx clients=A,B | r1.rate+250 | clock r1 rate=0.25
strategy=setnx clients=A,B | flush | flush
strategy=setnx clients=A,B | +5000 | advance 5s
strategy=setnx clients=A,B | +86400000 | advance 24h
strategy=setnx-expire clients=A,B | A*3 tick | step A, step A, step A, advance next
strategy=setnx clients=A,B | A r1.restart r1.wipe r1.down r1.up r1.slow r1.fast | step A, restart r1, wipe r1, down r1, up r1, slow r1, fast r1
strategy=redlock clients=A,B | A.cut:r5 A.heal:r5 r2.jump-1500 | cut A r5, heal A r5, clock r2 -1.5s
strategy=setnx clients=A,B lag=1 | A*2 r1.promote+1 | step A, step A, promote r1 missing=1
strategy=setnx clients=A,B | A*2 r1.evict | step A, step A, evict r1
strategy=pubsub-wakeup clients=A,B | A*3 B*3 A*5 B.lose-push | step A, step A, step A, step B, step B, step B, step A, step A, step A, step A, step A, lose push B
strategy=watchdog-naive clients=A | A*4 A/1 | step A, step A, step A, step A, step A/1`

// TestEveryVerbAsCommand: the command for an action, parsed and run, is that action.
func TestEveryVerbAsCommand(t *testing.T) {
	missing := map[history.Verb]bool{}
	for _, v := range history.Verbs() {
		missing[v] = true
	}
	defer func() {
		for v := range missing {
			t.Errorf("%s is not tried", v)
		}
	}()
	for _, row := range strings.Split(everyVerb, "\n") {
		c := strings.Split(row, " | ")
		config, schedule := configFor(t, c[0]), scheduleFor(t, c[1])
		for _, a := range schedule {
			delete(missing, a.Verb)
		}
		story, err := FromSchedule(t.Context(), "told", config, schedule)
		if err != nil {
			t.Errorf("%s: %v", row, err)
			continue
		}
		sameWhenWritten(t, story)
		var commands []string
		for _, step := range story.Steps[1 : len(story.Steps)-1] {
			commands = append(commands, step.Text)
		}
		if got := strings.Join(commands, ", "); got != c[2] {
			t.Errorf("%s: %s", row, got)
		}
		result, err := Run(t.Context(), story)
		if err != nil {
			t.Errorf("%s: %v", row, err)
			continue
		}
		judged(t, result)
		h := result.History
		if h.Schedule.String() != c[1] || h.Config.String() != c[0] {
			t.Errorf("%s: ran %s, %s", row, h.Config, h.Schedule)
		}
		if m := result.Mismatch(story); m != nil {
			t.Errorf("%s: %v", row, m)
		}
	}
}

func TestFromScheduleText(t *testing.T) {
	config, schedule := configFor(t, "strategy=setnx clients=A,B"), scheduleFor(t, "A*2 A.crash")
	story := testkit.Must(FromSchedule(t.Context(), "told", config, schedule))(t)
	const want = `# A schedule of 3 actions that violates lock-recovers.
world strategy=setnx clients=A,B
----
setnx: A, B

step A
----
A    is about to: SETNX lock:stock 1

step A
----
A    SETNX lock:stock 1 -> 1 `
	text := story.Source()
	if !strings.HasPrefix(text, want) || !strings.Contains(text, "\n# What became of it.\ncheck\n----\nVIOLATED lock-recovers: ") {
		t.Errorf("got\n%s", text)
	}
	story = testkit.Must(FromSchedule(t.Context(), "told", config, nil))(t)
	if caption := story.Steps[0].Captions["en"]; caption != "A schedule of 0 actions. It violates nothing." {
		t.Errorf("caption %q", caption)
	}
}

func TestFromScheduleMistakes(t *testing.T) {
	config := configFor(t, "strategy=setnx clients=A,B")
	gone := config
	gone.Strategy = "gone"
	step := func(client string) history.Schedule {
		return history.Schedule{{Verb: history.Step, Client: client}}
	}
	for _, c := range []struct {
		config history.Config
		s      history.Schedule
		want   string
	}{
		{gone, nil, `"gone" is not a lock`},
		{config, step("C"), `there is no client "C"`},
		{config, history.Schedule{{Verb: "dance", Client: "A"}}, `no command of a story says "dance"`},
		{config, history.Schedule{{Verb: history.Late, Client: "A"}}, "late"},
	} {
		_, err := FromSchedule(t.Context(), "told", c.config, c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestReproduce: a schedule that does not break what it is said to break is
// not believed.
func TestReproduce(t *testing.T) {
	config, s := configFor(t, "strategy=setnx clients=A,B"), scheduleFor(t, "A*2 A.crash")
	for invariant, want := range map[string]string{
		history.LockRecovers: "", history.MutualExclusion: "run 1 of 10 does not violate mutual-exclusion",
	} {
		_, _, err := Reproduce(t.Context(), config, s, invariant, 10)
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%s: %v, want %q", invariant, err, want)
		}
	}
	_, _, err := Reproduce(t.Context(), config, append(s, s...), "", 10)
	if err == nil || !strings.Contains(err.Error(), "run 1 of 10: ") {
		t.Error(err)
	}
}

// TestViolatesAgain: a later run violates what the whole check of the first one says, and has its history.
func TestViolatesAgain(t *testing.T) {
	for story, violated := range map[string]string{
		"a_lost_message_leaves_it_asleep":  history.LostWakeup,
		"a_crash_between_setnx_and_expire": history.LockRecovers,
		"a_pause_after_the_validity_check": history.MutualExclusion,
		"a_node_goes_with_its_session":     "",
	} {
		s := testkit.Must(Find(story))(t)
		first := testkit.Must(Run(t.Context(), s))(t)
		var want bytes.Buffer
		testkit.OK(t, history.WriteJSON(&want, first.History))
		for _, invariant := range []string{history.LostWakeup, history.LockRecovers, history.MutualExclusion} {
			var got bytes.Buffer
			is, err := violatesAgain(t.Context(), first.History.Config, first.History.Schedule, invariant, &got)
			if err != nil || is != (invariant == violated) {
				t.Errorf("%s violates %s: %v, %v", story, invariant, is, err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%s has another history", story)
			}
		}
	}
}
