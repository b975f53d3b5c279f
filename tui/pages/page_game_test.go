package pages

import (
	"strings"
	"testing"

	"lockstep/sim/history"
)

// pickMove picks the move with the given words, from a position that has it.
func pickMove(t testing.TB, m *Shell, words string) {
	t.Helper()
	for view(m).card {
		press(m, "esc")
	}
	for i, move := range m.game.at.position.Moves {
		if !move.Why.None() || play(m).moveText(move) != words {
			continue
		}
		for m.game.chosen > i {
			press(m, "up")
		}
		for m.game.chosen < i {
			press(m, "down")
		}
		press(m, "enter")
		return
	}
	t.Fatalf("no move %q at\n%s", words, m.View())
}

// wantGame fails if the learner is elsewhere: at so many moves of a branch of
// so many.
func wantGame(t testing.TB, m *Shell, move, of, branches int) {
	t.Helper()
	if at(m) != "game" || m.game.at.depth != move || m.game.tip.depth != of || len(m.game.branches()) != branches {
		t.Errorf("page %s, move %d of %d, %d branches; want move %d of %d, %d branches", at(m),
			m.game.at.depth, m.game.tip.depth, len(m.game.branches()), move, of, branches)
	}
}

// TestTakeOverAtEveryStep: the run that is taken over is the one that is shown.
func TestTakeOverAtEveryStep(t *testing.T) {
	overrun := parse(t, overrunStory)
	m := start(t, Options{Story: overrun}, 80, 24)
	for at := range view(m).player.rows {
		press(m, "esc", "esc")
		m = start(t, Options{Story: overrun, At: at + 1}, 80, 24)
		shown := view(m).run.History.Events[:view(m).here().To]
		press(m, "t")
		got := view(m).run.History.Events
		if len(got) < len(shown) {
			t.Errorf("at row %d: %d events, shown were %d", at+1, len(got), len(shown))
		}
		for i := range shown {
			if i < len(got) && (got[i].Seq != shown[i].Seq || got[i].Kind != shown[i].Kind || got[i].Client != shown[i].Client) {
				t.Errorf("at row %d event %d is %+v, was %+v", at+1, i, got[i], shown[i])
			}
		}
	}
}

// TestForeignSchedule: a position that cannot be reached is an error on the
// screen, and esc leaves it.
func TestForeignSchedule(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 2}, 80, 24)
	press(m, "t")
	crash := history.Action{Verb: history.Crash, Client: "A"}
	n := m.game.plant(history.Schedule{crash, crash}, byStory)
	drain(m, m.do(play(m).visit(n)))
	m.Update(Size{Width: 80, Height: 24})
	if view(m).failed == nil || !strings.Contains(check(t, m), "client A is dead") {
		t.Errorf("the error is not shown:\n%s", m.View())
	}
	press(m, "esc")
	if at(m) != "player" || view(m).failed != nil {
		t.Errorf("esc leads to\n%s", m.View())
	}
}
