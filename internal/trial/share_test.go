package trial

import (
	"testing"
	"time"

	"lockstep/sim/explore"
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

// TestOr: of two searches of which time has cut the first, the report that says more.
func TestOr(t *testing.T) {
	report := func(v explore.Verdict, states int, limit string) *Report {
		return &Report{Verdict: v, States: states, Explored: explore.Report{Limit: limit}}
	}
	cut := func(states int) *Report { return report(explore.Inconclusive, states, explore.RealTime) }
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
		{"violated, and there was no time to find it again", violated, cut(400), true},
		{"violated, and gone on further", violated, report(explore.Violated, 900, ""), false},
		{"violated, and gone on less far", violated, report(explore.Violated, 100, explore.RealTime), true},
	} {
		if got := test.first.or(test.again); (got == test.first) != test.keeps {
			t.Errorf("%s: %+v", test.about, got)
		}
	}
}
