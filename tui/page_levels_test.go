package tui

import (
	"errors"
	"testing"
)

func TestLevelList(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "b", "G")
	if m.levels.menu.at != len(m.levels.list)-1 {
		t.Errorf("G leads to level %d", m.levels.menu.at)
	}
	press(m, "g", "up", "j", "k", "down")
	if m.levels.menu.at != 1 {
		t.Errorf("the cursor is at %d", m.levels.menu.at)
	}
	press(m, "esc")
	if at(m) != "locks" {
		t.Errorf("esc leads to %s", at(m))
	}
	m.levels.list, m.levels.broken, m.levels.menu = nil, errors.New("levels.toml: no"), menu{}
	press(m, "b", "enter")
	wantText(t, m, "levels.toml: no", "level 0 of 0")
}
