package pages

import (
	"errors"
	"testing"
)

func TestLevelList(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "b", "G")
	wantText(t, m, "▸ optimistic-version", "0 of 5 levels tried")
	press(m, "g", "up", "j", "k", "down")
	wantText(t, m, "▸ Lock everybody out for ever", "setnx-expire")
	press(m, "esc")
	if at(m) != "locks" {
		t.Errorf("esc leads to %s", at(m))
	}
	m.levels.list, m.levels.broken = nil, errors.New("levels.toml: no")
	press(m, "b", "enter")
	wantText(t, m, "levels.toml: no", "level 0 of 0")
}

// TestLevelsOfALock: a lock's line opens its levels, and counts what was tried.
func TestLevelsOfALock(t *testing.T) {
	m := start(t, Options{Explorer: explorer(t)}, 80, 24)
	press(m, "b", "G", "enter")
	wantText(t, m, "▸ Contention", "level 1 of 5", "optimistic-version")
	press(m, "enter", "x", "esc")
	wantText(t, m, "▸ Contention", "given up, nobody can")
	press(m, "esc")
	wantText(t, m, "▸ optimistic-version", "1 of 5 levels tried")
}
