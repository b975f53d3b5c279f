package cli

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/sim/explore"
)

// TestHuntInterrupted: what was found until then is printed, and only under the
// hazard at hand.
func TestHuntInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	var stdout, stderr bytes.Buffer
	line := "hunt set-del --hazard overrun,late-request --runs 100000000"
	code := run(ctx, strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
	if code != exitUnexpected || stderr.String() != "lockstep: hunt: interrupted after 0 of 2; what has not been searched is INCONCLUSIVE\n" {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
	for _, want := range []string{
		"^Verdict: VIOLATED$", "^Stopped at: interrupt$", "^Also: VIOLATED phantom-hold: .* .0 faults, 3 steps, ",
		"^reproduced 10/10$", "^Runs: [1-9][0-9]{0,6} of 100000000, ",
	} {
		if got := regexp.MustCompile("(?m)"+want).FindAllString(stdout.String(), -1); len(got) != 1 {
			t.Errorf("%s: %q", want, got)
		}
	}
	if t.Failed() {
		t.Log(&stdout)
	}
}

// TestExploreInterrupted: so does an exploration, and its verdict is no pass.
func TestExploreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	var stdout, stderr bytes.Buffer
	line := "explore redlock --hazard client-clock,crash --clients A,B,C,D --states 1000000000"
	code := run(ctx, strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
	if code != exitUnexpected || stderr.String() != "lockstep: explore: interrupted after 0 of 2; what has not been searched is INCONCLUSIVE\n" {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
	if !strings.Contains(stdout.String(), "\nVerdict: INCONCLUSIVE\nReason: ended by an interrupt\n") {
		t.Errorf("an interrupted search says\n%s", &stdout)
	}
}

// TestHuntNeverHolds: whatever a hunt does not find, its verdict is no pass.
func TestHuntNeverHolds(t *testing.T) {
	for _, h := range explore.Hazards() {
		for _, lock := range []string{"optimistic-version", "set-lua"} {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields("hunt "+lock+" --runs 3 --states 0 --hazard "+h.ID), strings.NewReader(""), &stdout, &stderr)
			found := strings.Contains(stdout.String(), "\nCounterexample: ")
			want := map[bool]string{true: "0 VIOLATED", false: "1 INCONCLUSIVE"}[found]
			verdict := regexp.MustCompile(`(?m)^Verdict: (.*)$`).FindStringSubmatch(stdout.String())
			if got := fmt.Sprint(code, " ", verdict[1]); got != want {
				t.Errorf("%s, %s: %s, want %s", lock, h.ID, got, want)
			}
		}
	}
}
