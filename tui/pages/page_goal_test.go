package pages

import (
	"strings"
	"testing"
)

// TestLongLevelInAList: what a list says of a level says so where it goes on.
func TestLongLevelInAList(t *testing.T) {
	m := start(t, Options{}, 40, 16)
	press(m, "b")
	list, long := on[levelsPage](m), 0
	for range list.menu.n {
		if about := m.Passages(list.aboutChosen(list.chosen()), 40); len(about) > 4 {
			long++
			wantIn(t, m, strings.TrimSpace(about[3].Text()[:20]))
			if frame := strings.Split(check(t, m), "\n"); !strings.HasSuffix(strings.TrimSpace(frame[len(frame)-3]), "..") {
				t.Errorf("nothing says that more follows:\n%s", m.View())
			}
		}
		press(m, "down")
	}
	if long == 0 {
		t.Error("everything fits")
	}
}
