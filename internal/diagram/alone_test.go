package diagram

import "testing"

// TestInVain: a command that waits at a node until its client gives up changes no key.
func TestInVain(t *testing.T) {
	for _, a := range Of(find(t, "a_crash_takes_the_element_along")).Arrows {
		if a.Client == 2 && !a.Reply && a.Effect == Changes {
			t.Errorf("B's command at row %d waits in vain, and is drawn as if it changed a key", a.From)
		}
	}
}
