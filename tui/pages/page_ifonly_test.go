package pages

import (
	"testing"

	"lockstep/scenarios"
)

// atViolation is a story at the card of its nth violation, of which all is told.
func atViolation(t testing.TB, o Options, story string, n, w, h int) *Shell {
	t.Helper()
	s, err := scenarios.Find(story)
	if err != nil {
		t.Fatal(err)
	}
	o.Story = s
	m := start(t, o, w, h)
	toViolation(t, m, n)
	return m
}

// toViolation goes to the card of the nth violation.
func toViolation(t testing.TB, m *Shell, n int) {
	t.Helper()
	for view(m).shownOnCard() == nil || view(m).violation < n-1 {
		if _, open := on[storyPage](m).asking(); open != nil {
			press(m, "0")
			continue
		}
		press(m, "v")
	}
	check(t, m)
}
