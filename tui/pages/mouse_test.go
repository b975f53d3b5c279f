package pages

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// clickOn clicks where a text is on the screen.
func clickOn(t *testing.T, m *Shell, text string) {
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

// TestMouse: a click on a line of a list selects it and then opens it, on a row of
// the lanes leads back there, on a key of the footer or the number of a cause
// presses it; the wheel steps, or scrolls.
func TestMouse(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	clickOn(t, m, "set-del ")
	wantIn(t, m, "▸   set-del ")
	if at(m) != "locks" {
		t.Fatalf("one click opens %s", at(m))
	}
	clickOn(t, m, "set-del ")
	clickOn(t, m, "q quit  esc leave"[8:])
	if at(m) != "locks" {
		t.Errorf("esc is not pressed at %s", at(m))
	}
	m = atViolation(t, Options{}, "del_removes_the_next_holders_lock", 1, 80, 24)
	point(m, Wheel{Up: true})
	wantAt(t, m, 13)
	point(m, Wheel{})
	wantAt(t, m, 14)
	clickOn(t, m, "[2] step 10")
	wantAt(t, m, 10)
	clickOn(t, m, "reads stock = 2")
	wantAt(t, m, 5)
	clickOn(t, m, "right step")
	wantAt(t, m, 6)
	point(m, Click{79, 2})
	point(m, Click{-1, 99})
	wantAt(t, m, 6)
}
