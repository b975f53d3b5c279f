package pages

import (
	"errors"
	"testing"
)

// TestBrokenLevels: levels that cannot be read say so on their list.
func TestBrokenLevels(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	m.levels.list, m.levels.broken = nil, errors.New("levels.toml: no")
	press(m, "b", "enter")
	wantText(t, m, "levels.toml: no", "level 0 of 0")
}
