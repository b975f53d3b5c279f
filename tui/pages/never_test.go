package pages

import (
	"strings"
	"testing"
)

// TestAViolationWithoutACause: a lock that nobody can acquire is violated
// before anything has happened. It can be looked at, followed and played.
func TestAViolationWithoutACause(t *testing.T) {
	story := parse(t, "# Nobody gets it.\nworld strategy=redlock clients=A,B ttl=2ms\n----\n\ncheck\n----\n\nstep A\n----\n\ncheck\n----\n")
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		m := start(t, Options{Story: story, At: 1}, size[0], size[1])
		press(m, "f")
		wantIn(t, m, "VIOLATED lock-recovers", "cannot be acquired even at the")
		for _, key := range []string{"v", "1", "2", "V", "right", "right", "right", "left", "c", "f"} {
			press(m, key)
			check(t, m)
		}
		press(m, "home", "c", "t")
		if !view(m).card || !strings.Contains(check(t, m), "cannot be acquired even at the") {
			t.Errorf("the card of what is violated from the start is not shown:\n%s", m.View())
		}
		pickMove(t, m, "A: begins")
		if view(m).card {
			t.Errorf("what was violated before is shown again:\n%s", m.View())
		}
		press(m, "v")
		wantIn(t, m, "VIOLATED lock-recovers", "cannot be acquired even at the")
	}
}
