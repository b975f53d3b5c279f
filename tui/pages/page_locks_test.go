package pages

import (
	"strings"
	"testing"
)

func TestChooseLockAndStory(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "end", "home", "down", "up", "down")
	press(m, "enter")
	if at(m) != "stories" || on[storiesPage](m).lock.ID != "setnx-expire" || on[storiesPage](m).menu.at != 1 {
		t.Fatalf("after choosing the lock:\n%s", m.View())
	}
	press(m, "enter")
	if at(m) != "player" || view(m).run == nil {
		t.Fatalf("after choosing the story:\n%s", m.View())
	}
	wantAt(t, m, 1)
	press(m, "esc", "up", "enter")
	if at(m) != "lock" || !strings.Contains(m.View(), "setnx_expire.go") {
		t.Fatalf("card and source:\n%s", m.View())
	}
	press(m, "esc", "esc")
	if at(m) != "locks" || on[locksPage](m).menu.at != 1 {
		t.Fatalf("back at lock %d", on[locksPage](m).menu.at)
	}
}

func TestALockWithoutStories(t *testing.T) {
	m := start(t, Options{Lock: "set-lua"}, 80, 24)
	m.stories = nil
	m.do(restack(m.pathTo("set-lua", nil, 0)))
	press(m, "down", "down", "enter")
	if at(m) != "lock" {
		t.Errorf("its card is not shown:\n%s", m.View())
	}
}
