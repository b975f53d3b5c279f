package pages

import (
	"slices"
	"strings"
	"testing"
)

// TestZoom: one pane takes the whole body at every size, tab leads through all
// of them, and z or esc back to where it was.
func TestZoom(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {140, 45}} {
		for _, away := range []string{"z", "esc"} {
			m := start(t, Options{Story: parse(t, overrunStory), At: 4}, size[0], size[1])
			before := check(t, m)
			press(m, "z")
			seen := ""
			for range 5 {
				frame := check(t, m)
				body := strings.Split(frame, "\n")[1+view(m).lines:]
				seen += body[0]
				for _, line := range body[1:] {
					if strings.Contains(line, strings.Repeat(m.Glyphs.Rule, 10)) && !strings.Contains(line, m.Glyphs.Acts) {
						t.Errorf("%v: another pane below\n%s", size, frame)
					}
				}
				press(m, "tab")
			}
			for _, want := range []string{"set_del.go", "Keys", "Who believes", "Invariants", "Steps"} {
				if !strings.Contains(seen, want) {
					t.Errorf("%v: no pane %s in %s", size, want, seen)
				}
			}
			press(m, away)
			if got := check(t, m); got != before {
				t.Errorf("%v: after %s\n%s\nwant\n%s", size, away, got, before)
			}
		}
	}
}

// TestNoZoomInABrowser: it has no panes, so no button of it makes one fill the screen.
func TestNoZoomInABrowser(t *testing.T) {
	for _, browser := range []bool{false, true} {
		m := start(t, Options{Browser: browser}, 100, 30)
		press(m, "c", "enter", "right")
		has := slices.ContainsFunc(m.frameKeys(), func(k FrameKey) bool { return k.Does == "zoom" })
		if has == browser {
			t.Errorf("in a browser: %v, zoom: %v, %+v", browser, has, m.frameKeys())
		}
	}
}
