package cli

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSearchInterrupted: what was found until then is printed, and only under the hazard at
// hand; what was not searched is no pass.
func TestSearchInterrupted(t *testing.T) {
	for line, says := range map[string][]string{
		"hunt set-del --hazard overrun,late-request --runs 100000000": {
			"^Verdict: VIOLATED$", "^Stopped at: interrupt$", "^Also: VIOLATED phantom-hold: .* .0 faults, 3 actions, ",
			"^reproduced 10/10$", "^Runs: [1-9][0-9]{0,6} of 100000000, ",
		},
		"explore redlock --hazard client-clock,crash --clients A,B,C,D --states 1000000000": {
			"^Verdict: INCONCLUSIVE\nReason: ended by an interrupt$",
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		words := strings.Fields(line)
		code, stdout, stderr := lockstep(ctx, words...)
		if code != exitUnexpected || stderr != "lockstep: "+words[0]+": interrupted after 0 of 2; what has not been searched is INCONCLUSIVE\n" {
			t.Errorf("exit code %d, stderr %q", code, stderr)
		}
		for _, want := range says {
			if got := regexp.MustCompile("(?m)"+want).FindAllString(stdout, -1); len(got) != 1 {
				t.Errorf("%s: %q\n%s", want, got, stdout)
			}
		}
	}
}
