package pages

import (
	"strings"
	"testing"
)

// TestCardBesideThePicture: a wide terminal shows source, lanes, keys, bands and
// the whole card of a violation at once.
func TestCardBesideThePicture(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 140, 45)
	press(m, "f")
	frame := check(t, m)
	for _, want := range []string{"Source set_del.go", "Steps", "Keys", "Redis", "invariants hold so far", "What happened", "Would have prevented it", "This is expected"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in\n%s", want, frame)
		}
	}
	beside := false
	for _, line := range strings.Split(frame, "\n") {
		beside = beside || strings.Contains(line, "does not hold it") && strings.Contains(line, "✗ A believes")
		beside = beside || strings.HasPrefix(line, "  step ") && strings.Contains(line, "✗ A believes")
	}
	if !beside {
		t.Errorf("the card does not stand beside the bands:\n%s", frame)
	}
}
