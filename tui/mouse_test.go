package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"lockstep/tui/render"
)

// clickOn clicks where a text is on the screen.
func clickOn(t *testing.T, m *shell, text string) {
	t.Helper()
	for y, line := range strings.Split(check(t, m), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			mouse(m, ansi.StringWidth(before), y, tea.MouseButtonLeft)
			return
		}
	}
	t.Fatalf("no %q in\n%s", text, m.View())
}

// mouse presses a button somewhere, as press does a key.
func mouse(m *shell, x, y int, b tea.MouseButton) {
	_, cmd := m.Update(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: b})
	learnCauses(m)
	_ = m.View()
	if isWaiting(m) && cmd != nil {
		drain(m, cmd)
	}
}

// TestKeyNamed: every key of every page can be pressed by its name.
func TestKeyNamed(t *testing.T) {
	for _, k := range everyKey {
		for _, name := range k.on {
			if got := keyNamed(name).String(); got != name {
				t.Errorf("%q is pressed as %q", name, got)
			}
		}
	}
}

// TestMouse: a click on a line of a list selects it and then opens it, on a row of
// the lanes leads back there, on a key of the footer or the number of a cause
// presses it; the wheel steps, or scrolls.
func TestMouse(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	m.theme.Clicks = true
	clickOn(t, m, "set-del ")
	wantIn(t, m, "▸ set-del ")
	if at(m) != "locks" {
		t.Fatalf("one click opens %s", at(m))
	}
	clickOn(t, m, "set-del ")
	clickOn(t, m, "q quit  esc leave"[8:])
	if at(m) != "locks" {
		t.Errorf("esc is not pressed at %s", at(m))
	}
	m = atViolation(t, Options{}, "del_removes_the_next_holders_lock", 1, 80, 24)
	m.theme.Clicks = true
	mouse(m, 5, 5, tea.MouseButtonWheelUp)
	wantAt(t, m, 13)
	mouse(m, 5, 5, tea.MouseButtonWheelDown)
	wantAt(t, m, 14)
	clickOn(t, m, "[2] step 10")
	wantAt(t, m, 10)
	clickOn(t, m, "reads stock = 2")
	wantAt(t, m, 5)
	clickOn(t, m, "right step")
	wantAt(t, m, 6)
	mouse(m, 79, 23, tea.MouseButtonLeft)
	mouse(m, -1, 99, tea.MouseButtonLeft)
	wantAt(t, m, 6)
}

// TestNoMouse: nothing is clicked on where the mouse is the terminal's.
func TestNoMouse(t *testing.T) {
	for _, without := range []bool{false, true} {
		m, err := newShell(t.Context(), Options{NoMouse: without}, render.NewTheme(lipgloss.DefaultRenderer(), false))
		if err != nil {
			t.Fatal(err)
		}
		defer m.background.end()
		m.resize(80, 24)
		if clickOn(t, m, "? help"); isOn[*helpPage](m) == without {
			t.Errorf("without a mouse: %t, and it is %t that it opens the help", without, !without)
		}
	}
}
