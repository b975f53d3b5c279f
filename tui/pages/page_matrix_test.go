package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/sim/history"
)

func TestMatrixFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		lang string
		keys []string
	}{
		{"matrix_start", "en", nil},
		{"matrix_violated", "en", []string{"down", "down", "v", "v"}},
		{"matrix_right_end", "en", []string{"G", "l", "l", "l", "l", "l", "l", "l"}},
		{"matrix_working", "en", []string{"G", "up"}},
		{"matrix_holds", "en", []string{"enter"}},
		{"matrix_vacuous", "en", []string{"right", "right", "right", "enter"}},
		{"matrix_inconclusive", "en", []string{"j", "right", "right", "l"}},
		{"matrix_run", "en", []string{"right", "enter"}},
		{"matrix_help", "en", []string{"?"}},
		{"matrix_chinese", "zh", []string{"down", "down", "v"}},
		{"matrix_chinese_holds", "zh", []string{"enter"}},
		{"matrix_chinese_run", "zh", []string{"right", "enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m := opened(t, Options{Lang: c.lang}, w, h)
				press(m, c.keys...)
				return m
			})
		})
	}
}

// wantCell fails if the cursor is elsewhere.
func wantCell(t *testing.T, m *Shell, lock, hazard int) {
	t.Helper()
	if b := m.board; at(m) != "matrix" || b.lock.at != lock || b.hazard.at != hazard {
		t.Errorf("at lock %d, hazard %d of page %s, want %d, %d of the matrix", b.lock.at, b.hazard.at, at(m), lock, hazard)
	}
}

func TestMatrixKeys(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	wantCell(t, m, 0, 0)
	press(m, "up", "left")
	wantCell(t, m, 0, 0)
	press(m, "down", "j", "right", "l", "l", "k", "h")
	wantCell(t, m, 1, 2)
	press(m, "G", "right", "right", "right", "right", "right", "right", "right")
	wantCell(t, m, 8, 7)
	press(m, "enter") // nothing is known of it
	if whole(m) {
		t.Error("enter opens a cell that is not computed")
	}
	press(m, "c")
	if !whole(m) {
		t.Error("c does not show its detail")
	}
	press(m, "down", "esc", "g")
	wantCell(t, m, 0, 7)
	press(m, "esc")
	if at(m) != "locks" {
		t.Errorf("esc leads to %s", at(m))
	}
	press(m, "m")
	wantCell(t, m, 0, 7)
}

// TestChooseFound: the chosen invariant is the one whose run is opened, and
// esc leads back to it.
func TestChooseFound(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	press(m, "down", "down", "v", "v", "V", "v")
	f := m.board.found()
	if f == nil || f.Violation.Invariant != history.StaleWrite || !strings.Contains(m.View(), "▸ damage      stale-write") {
		t.Fatalf("chosen: %s\n%s", f.Violation.Invariant, m.View())
	}
	press(m, "enter")
	if at(m) != "player" || view(m).run == nil || story(m).name() != "stale-write under contention" {
		t.Fatalf("the run %q is not open: %v", story(m).name(), view(m).failed)
	}
	if got := view(m).run.History.Config.Strategy; got != "set-del" {
		t.Errorf("a run of %s", got)
	}
	press(m, "v")
	if !strings.Contains(check(t, m), "VIOLATED phantom-hold") {
		t.Errorf("its first violation:\n%s", m.View())
	}
	if facts := m.place(); facts.Story != "" {
		t.Errorf("the last line speaks of a story %q", facts.Story)
	}
	press(m, "esc", "esc")
	wantCell(t, m, 2, 0)
	if m.board.chosen != 2 || story(m).story != nil {
		t.Errorf("back at found %d, with story %v", m.board.chosen, story(m).story)
	}
	press(m, "v", "v", "v", "v")
	if m.board.chosen != 3 {
		t.Errorf("v after the last went to %d", m.board.chosen)
	}
	press(m, "down", "up")
	if m.board.chosen != 0 {
		t.Error("another cell keeps the choice")
	}
}

// TestChosenIsVisible: a low screen scrolls to what is chosen.
func TestChosenIsVisible(t *testing.T) {
	for _, size := range [][2]int{{leastWidth, leastHeight}, {60, 20}, {80, 24}} {
		m := opened(t, Options{}, size[0], size[1])
		press(m, "down", "down", "v", "v", "v")
		if !strings.Contains(check(t, m), "▸ damage      lost-update") {
			t.Errorf("not to be seen:\n%s", m.View())
		}
	}
}

// TestEnter: where nothing was found, enter says what was proven.
func TestEnter(t *testing.T) {
	for right, want := range map[int][]string{
		0: {"✓ HOLDS", "Proven  None of the", "invariants: mutual-exclusion, foreign-release", "Assumptions  strategy=setnx clients=A,B; at most 1 of"},
		3: {"- VACUOUS", "Why  the lock never reads a clock", "Proven  Nothing about this hazard", "Assumptions  strategy=setnx"},
		4: {"? INCONCLUSIVE", "Why  ended by the limit on states", "Example  The node grants the lock"},
	} {
		m := opened(t, Options{}, 80, 40)
		press(m, slices.Repeat([]string{"right"}, right)...)
		press(m, "enter")
		for _, text := range want {
			if frame := check(t, m); !strings.Contains(frame, text) {
				t.Errorf("no %q in\n%s", text, frame)
			}
		}
		if strings.Contains(m.View(), "Proven  None of the") != (right == 0) {
			t.Errorf("only HOLDS is a proof:\n%s", m.View())
		}
		press(m, "esc")
		wantCell(t, m, 0, right)
		if strings.Contains(m.View(), "Proven") {
			t.Errorf("still there:\n%s", m.View())
		}
	}
}

// TestCutShort: a violation that was found before a limit ended the search
// says so, and which of what was found may not be shortest.
func TestCutShort(t *testing.T) {
	m := opened(t, Options{}, 80, 40)
	press(m, "right", "right")
	for _, want := range []string{"Cut short  by the limit on states", "no fault, shortest", "no fault, perhaps not shortest"} {
		if !strings.Contains(m.View(), want) {
			t.Errorf("no %q in\n%s", want, m.View())
		}
	}
}

// TestNoSuchCounterexample: a run that does not break what it is said to break
// is an error and not a run.
func TestNoSuchCounterexample(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	press(m, "right")
	m.board.here().Found = found(t, "setnx", "A*2 A.crash", history.LockRecovers)
	m.board.here().Found[0].Violation.Invariant = history.Leak
	press(m, "enter")
	if view(m).failed == nil || !strings.Contains(check(t, m), "does not violate leak") {
		t.Errorf("no error:\n%s", m.View())
	}
	press(m, "esc")
	wantCell(t, m, 0, 1)
}

// TestCellsPicture: where there is room, the run of the chosen violation stands beside the
// details of its cell, up to the violation; a cell that holds has none.
func TestCellsPicture(t *testing.T) {
	m := opened(t, Options{}, 140, 45)
	for _, key := range []string{"down", "right"} {
		drain(m, m.Update(keyMsg(key)))
	}
	f := m.board.found()
	if f == nil {
		t.Fatalf("the cell holds:\n%s", m.View())
	}
	says := m.labels.Violated(f.Violation.Invariant)
	if frame := m.View(); !strings.Contains(frame, says) || !strings.Contains(frame, "time    A   B   r1") {
		t.Errorf("no %q in a picture:\n%s", says, frame)
	}
	drain(m, m.Update(Size{Width: 80, Height: 24}))
	if frame := m.View(); strings.Contains(frame, "time    A") {
		t.Errorf("a picture at 80 x 24:\n%s", frame)
	}
}
