package pages

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// clickOn clicks where a text is on the screen.
func clickOn(t testing.TB, m *Shell, text string) {
	t.Helper()
	for y, line := range strings.Split(check(t, m), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			point(m, Click{ansi.StringWidth(before), y})
			return
		}
	}
	t.Fatalf("no %q in\n%s", text, m.View())
}

// point does something with the mouse, as press does with a key.
func point(m *Shell, what any) {
	cmd := m.Update(what)
	learnCauses(m)
	_ = m.View()
	if isWaiting(m) && cmd != nil {
		drain(m, cmd)
	}
}
