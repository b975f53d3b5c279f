package pages

import (
	"testing"
)

func TestALockWithoutStories(t *testing.T) {
	m := start(t, Options{Lock: "set-lua"}, 80, 24)
	m.stories = nil
	m.do(restack(m.pathTo("set-lua", nil, 0)))
	press(m, "down", "down", "enter")
	if at(m) != "lock" {
		t.Errorf("its card is not shown:\n%s", m.View())
	}
}
