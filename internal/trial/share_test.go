package trial

import (
	"errors"
	"testing"
	"time"

	"lockstep/internal/prose"
	"lockstep/sim/explore"
	"lockstep/sim/program"
)

// TestPart: hazards that all take what they may take have all of the time together, and each has
// some; one that comes after hazards that take nothing has more.
func TestPart(t *testing.T) {
	for _, times := range []int{1, 2} {
		left := 5 * time.Second
		for others := 16; others >= 0; others-- {
			p := part(left, others, times)
			if fair := left / time.Duration(others+1); p < fair || p > time.Duration(times)*fair || p < 30*time.Millisecond {
				t.Errorf("%d times, %d others: %v of %v", times, others, p, left)
			}
			left -= p
		}
		if left != 0 {
			t.Errorf("%d times: nobody has %v", times, left)
		}
	}
	if late := part(5*time.Second, 0, 2); late != 5*time.Second {
		t.Errorf("the only one that is left has %v", late)
	}
}

// TestCutAtOnce: a search that time cuts before the first transition shows nothing of the code: it
// is refused under the next hazard, and under no other.
func TestCutAtOnce(t *testing.T) {
	tried := &Trial{Book: prose.Load("en")}
	for _, transitions := range []int{0, 1} {
		cut := &Report{Verdict: explore.Inconclusive, Transitions: transitions, Explored: explore.Report{Limit: explore.RealTime}}
		tried.note(t.Context(), explore.Hazard{ID: Contention}, cut, nil)
		tried.note(t.Context(), explore.Hazard{ID: "crash"}, nil, errors.New("it is refused"))
		if tried.decided != (transitions > 0) {
			t.Errorf("after %d transitions: decided is %v", transitions, tried.decided)
		}
	}
}

// TestNotYetReturned: an error that a lock did not return before time cut a search may still come.
func TestNotYetReturned(t *testing.T) {
	for limit, hints := range map[string]int{"": 1, explore.OutOfStates: 1, explore.RealTime: 0} {
		r := &Report{Facts: program.Traits{Returned: map[string]bool{"gone": false}}, Explored: explore.Report{Limit: limit}}
		if got := Hints([]*Report{r}); len(got) != hints {
			t.Errorf("limit %q: %v", limit, got)
		}
	}
}

// TestOr: of two searches of which time has cut the first, the report that says more.
func TestOr(t *testing.T) {
	report := func(v explore.Verdict, transitions int, limit string) *Report {
		return &Report{Verdict: v, States: 1 + transitions, Transitions: transitions, Explored: explore.Report{Limit: limit}}
	}
	cut := func(transitions int) *Report { return report(explore.Inconclusive, transitions, explore.RealTime) }
	skipped := &Report{Verdict: explore.Inconclusive, Skipped: true}
	violated := report(explore.Violated, 300, explore.RealTime)
	for _, test := range []struct {
		about        string
		first, again *Report
		keeps        bool
	}{
		{"decided now", cut(300), report(explore.Holds, 100, ""), false},
		{"further now", cut(300), cut(400), false},
		{"not so far now", cut(300), cut(0), true},
		{"its code was refused meanwhile", cut(300), skipped, true},
		{"its code was refused meanwhile, and nothing of it had run", cut(0), skipped, false},
		{"violated, and there was no time to find it again", violated, cut(400), true},
		{"violated, and gone on further", violated, report(explore.Violated, 900, ""), false},
		{"violated, and gone on less far", violated, report(explore.Violated, 100, explore.RealTime), true},
	} {
		if got := test.first.or(test.again); (got == test.first) != test.keeps {
			t.Errorf("%s: %+v", test.about, got)
		}
	}
}
