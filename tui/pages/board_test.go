package pages

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"lockstep/sim/explore"
	"lockstep/tui/render"
)

// TestCellsComeElsewhere: nothing is computed before the matrix is opened;
// then it goes on, whatever is on the screen, and is begun once.
func TestCellsComeElsewhere(t *testing.T) {
	begun := make(chan bool, 9)
	source := canned(t, nil)
	compute := source.Compute
	source.Compute = func(ctx context.Context, report func(...explore.Report)) error {
		begun <- true
		return compute(ctx, report)
	}
	m := start(t, Options{Matrix: source}, 80, 24)
	press(m, "down", "enter", "esc")
	if len(begun) > 0 {
		t.Error("computed before it is wanted")
	}
	cmd := press(m, "m")
	if frame := check(t, m); strings.Count(frame, "~ working") != 2 || !strings.Contains(frame, "0 of 72 cells") {
		t.Errorf("before the first cell:\n%s", frame)
	}
	cmd = m.Update(cmd())
	press(m, "esc", "enter")
	for range 9 {
		cmd = m.Update(cmd())
	}
	press(m, "esc")
	if again := press(m, "m"); again != nil {
		t.Error("it is begun again")
	}
	frame := check(t, m)
	if !strings.Contains(frame, "10 of 72 cells") || len(begun) != 1 {
		t.Errorf("%d times begun:\n%s", len(begun), frame)
	}
	// Two locks are under way: the one that ten cells have come of, and the next.
	if b := m.board.verdicts(); b[10].Verdict != render.Working || b[11].Verdict != render.NotYet || b[16].Verdict != render.Working {
		t.Errorf("after ten cells come %v", b[10:17])
	}
}

// TestMatrixFails: an error is one line, and nothing is under way any more.
func TestMatrixFails(t *testing.T) {
	source := canned(t, errors.New("setnx, crash: it broke\ngoroutine 1"))
	m := start(t, Options{Matrix: source}, 80, 24)
	deliver(m, (len(source.Locks)-2)*len(source.Hazards)+1)
	frame := check(t, m)
	if !strings.Contains(frame, "✗ ERROR: setnx, crash: it broke  ") || strings.Contains(frame, "goroutine") {
		t.Errorf("the error is not shown in a line:\n%s", frame)
	}
	press(m, "G")
	frame = check(t, m)
	if strings.Contains(frame, "working") || strings.Count(frame, "it broke") != 2 {
		t.Errorf("a cell that was not computed:\n%s", frame)
	}
}

// TestStrangeCells: a cell that has no place is dropped, one that comes twice
// counts once.
func TestStrangeCells(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	done := m.board.done
	m.Update(m.board.filed([]explore.Report{
		{Config: configOf(t, "none"), Hazard: "crash"}, {Config: configOf(t, "setnx"), Hazard: "none"}, *m.board.cells[0],
	}))
	if m.board.done != done {
		t.Errorf("%d cells are done, want %d", m.board.done, done)
	}
}

// TestQuitStopsTheWork: no goroutine outlives the program, whether cells come
// or are waited for.
func TestQuitStopsTheWork(t *testing.T) {
	quitStops(t, canned(t, nil))
	silent := canned(t, nil)
	silent.Compute = func(ctx context.Context, _ func(...explore.Report)) error { <-ctx.Done(); return ctx.Err() }
	quitStops(t, silent)
}

func quitStops(t testing.TB, source *Matrix) {
	t.Helper()
	stopped := false
	compute := source.Compute
	source.Compute = func(ctx context.Context, report func(...explore.Report)) error {
		defer func() { stopped = true }()
		return compute(ctx, report)
	}
	live(t, Options{Matrix: source}, "m", "q")
	if !stopped {
		t.Error("the computation goes on")
	}
	deadline := time.Now().Add(time.Minute)
	for ours() > 1 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond) // what waits for a message ends by itself
	}
	if n := ours(); n > 1 {
		t.Errorf("%d goroutines of this package are left", n-1)
	}
}

// ours counts the goroutines that run code of this package; the test is one.
func ours() (n int) {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	for _, stack := range strings.Split(string(all), "\n\n") {
		if strings.Contains(stack, "lockstep/tui/pages.") {
			n++
		}
	}
	return n
}
