package pages

import (
	"strings"
	"testing"
	"time"

	"lockstep/tui/render"
)

// TestGlide: a step forward moves the message along its arrow, in no more than 150 ms, and
// ends where a still screen is at once. A key in between goes on from the whole step.
func TestGlide(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	still := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	m.glides = true
	var waited time.Duration
	var next any
	m.later = func(d time.Duration, msg any) Cmd {
		waited, next = waited+d, msg
		return nil
	}
	press(m, "right")
	press(still, "right")
	last, wires := still.View(), []int{}
	for next != nil && len(wires) < 10 {
		wires = append(wires, wireOf(m))
		msg := next
		next = nil
		m.Update(msg)
	}
	if len(wires) != render.Strides-1 || waited > 150*time.Millisecond {
		t.Errorf("%d frames in %v", len(wires), waited)
	}
	for i, n := range append(wires, wireOf(m)) {
		if i > 0 && n <= wires[i-1] {
			t.Errorf("the arrow has %d cells in frame %d, after %v", n, i+1, wires)
		}
	}
	if got := m.View(); got != last {
		t.Errorf("in the end:\n%s\nwithout animation:\n%s", got, last)
	}
	press(m, "left", "right") // an animation is under way
	late := next
	press(m, "right")
	press(still, "right")
	if m.Update(late); m.View() != still.View() {
		t.Errorf("a late frame changes the screen:\n%s", m.View())
	}
}

// wireOf counts the cells of the arrow at the cursor.
func wireOf(m *Shell) int {
	for _, line := range strings.Split(m.View(), "\n") {
		if strings.HasPrefix(line, "▸") {
			return strings.Count(line, "╌")
		}
	}
	return -1
}
