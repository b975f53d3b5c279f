package pages

import (
	"testing"
)

// toViolation goes to the card of the nth violation.
func toViolation(t testing.TB, m *Shell, n int) {
	t.Helper()
	for view(m).shownOnCard() == nil || view(m).violation < n-1 {
		if _, open := on[storyPage](m).asking(); open != nil {
			press(m, "u")
			continue
		}
		press(m, "v")
	}
	check(t, m)
}
