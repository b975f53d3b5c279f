package pages

import (
	"strings"
	"testing"

	"lockstep/sim/history"
)

// pickMove picks the move with the given words, from a position that has it.
func pickMove(t *testing.T, m *Shell, words string) {
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
func wantGame(t *testing.T, m *Shell, move, of, branches int) {
	t.Helper()
	if at(m) != "game" || m.game.at.depth != move || m.game.tip.depth != of || len(m.game.branches()) != branches {
		t.Errorf("page %s, move %d of %d, %d branches; want move %d of %d, %d branches", at(m),
			m.game.at.depth, m.game.tip.depth, len(m.game.branches()), move, of, branches)
	}
}

func TestTakeOver(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 2}, 80, 24)
	whole := len(view(m).run.History.Schedule)
	press(m, "t")
	wantGame(t, m, 2, whole, 1)
	wantIn(t, m, "▸ A: crash", "You pick", "Source setnx_expire.go") // the story's next move, with the code below
	press(m, "up", "up", "up", "up", "up", "up")
	wantIn(t, m, "▸ A: EXPIRE lock:stock 5")
	pickMove(t, m, "A: EXPIRE lock:stock 5")
	wantGame(t, m, 3, 3, 2)
	if got := m.game.at.schedule().String(); got != "A*3" {
		t.Errorf("the schedule is %s", got)
	}
	if h := view(m).run.History; h.Schedule.String() != "A*3" || view(m).player.at != len(view(m).run.Rows)-1 {
		t.Errorf("the run is %v at %d", h.Schedule, view(m).player.at)
	}
	press(m, "left")
	wantGame(t, m, 2, 3, 2)
	press(m, "right", "u", "u", "h")
	wantGame(t, m, 0, 3, 2)
	press(m, "h")
	wantGame(t, m, 0, 3, 2)
	press(m, "G")
	wantGame(t, m, 3, 3, 2)
	press(m, "g", "l", "end", "home")
	wantGame(t, m, 0, 3, 2)
	press(m, "esc")
	if at(m) != "player" || view(m).run == nil || view(m).run.History.Schedule.String() == "A*3" {
		t.Errorf("esc leads to\n%s", m.View())
	}
	wantAt(t, m, 2)
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

// TestPickShowsViolations: what a pick breaks is shown at once, and only what
// it breaks itself.
func TestPickShowsViolations(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 2}, 80, 24)
	press(m, "t")
	pickMove(t, m, "A: crash")
	if !view(m).card || !strings.Contains(check(t, m), "VIOLATED lock-recovers") {
		t.Fatalf("no card:\n%s", m.View())
	}
	press(m, "c", "down", "up", "enter") // of the whole card
	wantGame(t, m, 3, len(m.game.tip.path()), 1)
	if view(m).card {
		t.Error("enter does not uncover the moves")
	}
	if frame := m.View(); !strings.Contains(frame, "client A is dead") {
		t.Errorf("nothing says why A cannot move:\n%s", frame)
	}
	pickMove(t, m, "B: begins")
	if view(m).card {
		t.Error("what was broken before is shown again")
	}
	press(m, "v")
	if !view(m).card || view(m).violation != 0 {
		t.Error("v does not show it")
	}
	press(m, "V", "c", "c")
	if view(m).card {
		t.Error("c does not hide the card")
	}
	press(m, "c", "esc")
	if view(m).card || at(m) != "game" {
		t.Error("esc does not hide the card, or does more")
	}
}

// TestMovesOutOfSight: enter picks nothing that is not to be seen.
func TestMovesOutOfSight(t *testing.T) {
	for _, w := range []int{60, 120} {
		m := start(t, Options{Story: parse(t, crashStory), At: 2}, w, 30)
		press(m, "t", "tab", "down", "enter")
		wantGame(t, m, 2, m.game.tip.depth, 1)
		if !play(m).showsMoves() {
			t.Errorf("at %d cells, enter does not show the moves", w)
		}
		if m.game.chosen != startOf(m) {
			t.Error("the choice moved out of sight")
		}
		for range view(m).choosable() {
			press(m, "tab")
			check(t, m)
		}
	}
}

// startOf is the move by which the branch goes on.
func startOf(m *Shell) int {
	for i, move := range m.game.at.position.Moves {
		if move.Action == m.game.next().action {
			return i
		}
	}
	return -1
}

// TestStalePosition: a position that nobody waits for any more is not shown.
func TestStalePosition(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 2}, 80, 24)
	cmd := m.Update(keyMsg("t"))
	check(t, m)
	m.Update(keyMsg("esc"))
	drain(m, cmd)
	if at(m) != "player" || m.game.at != nil {
		t.Error("a stale position is shown")
	}
	press(m, "t")
	cmd = m.Update(keyMsg("enter"))
	press(m, "left", "x")
	check(t, m)
	drain(m, cmd)
	wantGame(t, m, 2, m.game.tip.depth, 1) // left came after the move, and x is no key
}

// TestTakeOverACounterexample: esc leads back through the run to the matrix.
func TestTakeOverACounterexample(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	press(m, "right", "enter", "G", "t", "esc")
	if at(m) != "game" || !strings.Contains(check(t, m), "client A is dead") {
		t.Fatalf("not taken over:\n%s", m.View())
	}
	press(m, "esc", "esc", "esc")
	if at(m) != "matrix" {
		t.Errorf("esc leads to %s", at(m))
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
