package locktest

import (
	"strings"
	"testing"
)

// TestRetries: go-redis sends again what was lost, after a wait of the client's own
// clock, and who finds its own token under the key then takes it for another's.
func TestRetries(t *testing.T) {
	r := Tried(t, withMistake(none), "lost-reply", Retries(1))
	if r == nil {
		return
	}
	if !r.Passes() || !strings.Contains(r.Assumptions, "retries of go-redis: 1") || len(r.Found) != 1 || r.Found[0].Invariant != "self-deadlock" {
		t.Errorf("%+v", r)
	}
}
