package pages

import (
	"testing"

	"lockstep/scenarios"
)

// atViolation is a story at the card of its nth violation, of which all is told.
func atViolation(t *testing.T, o Options, story string, n, w, h int) *Shell {
	t.Helper()
	s, err := scenarios.Find(story)
	if err != nil {
		t.Fatal(err)
	}
	o.Story = s
	m := start(t, o, w, h)
	for view(m).shownOnCard() == nil || view(m).violation < n-1 {
		if _, open := on[storyPage](m).asking(); open != nil {
			press(m, "0")
			continue
		}
		press(m, "v")
	}
	check(t, m)
	return m
}

// TestIfOnly: whatever is told of a violation can be asked for, is played beside
// the run, and what came of it is said at the end.
func TestIfOnly(t *testing.T) {
	m := atViolation(t, Options{}, "del_removes_the_next_holders_lock", 1, 80, 24)
	at := view(m).player.at
	press(m, "w")
	wantIn(t, m, "What if A's lease had not expired?", "What if the lease had been 4s instead of 3s?",
		"▸ What if A's", "step 9  A's lease of 3s began at 0s and was over by 3.001s", "A removed lock:stock, which B held")
	press(m, "down", "enter")
	wantIn(t, m, "? What if B had sent SET (set_del.go:16) only after the violation?", "step 1/27 and 1/21")
	press(m, "p")
	wantIn(t, m, "≢ outcomes differ from step 10 on", "step 11/27 and 9/21", "≢10 3.001s  ╎   ◉╌╌╌╌╌╌►B   SET lock:stock B-1", "no violation")
	press(m, "G")
	wantText(t, m, "Then no client violates foreign-release: A DEL lock:stock -> 0.",
		"VIOLATED mutual-exclusion and 4 more, sold 3 of 2", "no violation, sold 2 of 2")
	press(m, "esc", "down", "enter", "p")
	wantIn(t, m, "≢14 3.001s  ◉╌╌╌╌╌╌╌╌╌╌►✗   DEL lock:stock -> 1") // not where PX stands for EX
	press(m, "esc", "esc")
	if view(m).player.at != at || !view(m).card {
		t.Errorf("esc leads back to\n%s", m.View())
	}
}

// TestNothingToAsk: before it is known what a violation depends on, and where there
// is none.
func TestNothingToAsk(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	press(m, "w")
	if at(m) != "player" {
		t.Errorf("at %s", at(m))
	}
	m.Update(keyMsg("v"))
	m.Update(keyMsg("w"))
	wantIn(t, m, "No what-if is known yet")
}

func TestIfOnlyFrames(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		goldenFrames(t, "ifonly_"+lang, func(w, h int) *Shell {
			m := atViolation(t, Options{Lang: lang}, "del_removes_the_next_holders_lock", 1, w, h)
			press(m, "w")
			return m
		})
		goldenFrames(t, "ifonly_played_"+lang, func(w, h int) *Shell {
			m := atViolation(t, Options{Lang: lang}, "del_removes_the_next_holders_lock", 1, w, h)
			press(m, "w", "G", "enter", "p")
			return m
		})
	}
}
