package pages

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// TestPicture draws the front page's picture again: the walkthrough where a
// release removes somebody else's lock.
func TestPicture(t *testing.T) {
	testkit.Single(t)
	story, err := scenarios.Find("del_removes_the_next_holders_lock")
	if err != nil {
		t.Fatal(err)
	}
	m := start(t, Options{Story: story}, 104, 32)
	press(m, "f")
	golden(t, "../../docs/violation.svg", svg(colourful(m), "The walkthrough where A's DEL removes B's lock"))
}
