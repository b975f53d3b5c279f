package pages

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// explorer is one whose proofs are known: the shortest way to sell twice, and
// for any other level that there is none.
func explorer(t *testing.T) *Explorer {
	t.Helper()
	oversell, err := history.ParseSchedule("A*4 B tick B*4 A")
	if err != nil {
		t.Fatal(err)
	}
	return &Explorer{Shortest: func(_ context.Context, l *scenarios.Level) (Proof, error) {
		if l.ID == "oversell" {
			return Proof{Schedule: oversell, Shortest: true, States: 601}, nil
		}
		return Proof{States: 1915, Assumptions: lang.Join("; ", l.Config, lang.New("no fault"))}, nil
	}}
}

// atLevel opens a level.
func atLevel(t *testing.T, o Options, id string, w, h int) *Shell {
	t.Helper()
	m := start(t, o, w, h)
	press(m, "b")
	if lock := m.levels.find(id).Lock(); lock != "" {
		downTo(t, m, func(l *scenarios.Level) bool { return l.Lock() == lock })
		press(m, "enter")
	}
	downTo(t, m, func(l *scenarios.Level) bool { return l.ID == id })
	press(m, "enter")
	return m
}

// downTo goes down the list of levels to the first that is meant.
func downTo(t *testing.T, m *Shell, meant func(*scenarios.Level) bool) {
	t.Helper()
	for p := uncovered(m).(*levelsPage); !meant(p.chosen()); {
		before := p.menu.at
		press(m, "down")
		if p.menu.at == before {
			t.Fatalf("no such level below %s", p.chosen().ID)
		}
	}
}

// longWay sells the last item twice in more moves than it takes.
func longWay(t *testing.T, m *Shell) {
	t.Helper()
	for _, words := range []string{
		"A: begins", "A: SET lock:stock A-1 EX 5 NX", "A: enters the critical section", "A: reads the stock",
		"time: 5.001s, lock:stock expires", "B: begins", "time: 10.002s, nothing is due", "B: SET lock:stock B-1 EX 5 NX",
		"B: enters the critical section", "B: reads the stock", "A: writes the stock", "A: leaves the critical section",
		"B: writes the stock",
	} {
		pickMove(t, m, words)
	}
}

func TestReachAGoal(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "oversell", 80, 24)
	wantText(t, m, "One item is left", "time passed: 0 of 2", "0 moves")
	if p := m.place(); p != (prose.TextFacts{}) {
		t.Errorf("before the first move the last line speaks of %+v", p)
	}
	if won := m.Frame().Won; won != "" {
		t.Errorf("before the first move it is won by %s", won)
	}
	longWay(t, m)
	if !view(m).card {
		t.Fatalf("the goal is reached, and no card:\n%s", m.View())
	}
	won := m.Frame().Won
	if _, moves, err := history.ParseToken(won); err != nil || len(moves) != 13 {
		t.Errorf("it is won by %q, %d moves, %v", won, len(moves), err)
	}
	wantText(t, m, "VIOLATED lost-update", "Reached: 13 moves; fewest 11 (proven)",
		"Unnecessary moves 7 time: 10.002s, nothing is due; 12 A: leaves the critical section", "time passed: 2 of 2")
	if works(m, claimKey) || works(m, giveUpKey) {
		t.Error("what is reached can still be given up")
	}
	press(m, "d")
	wantText(t, m, "yours: 13", "shortest: 11", "- 7 time: 10.002s", "4 A: reads the stock ╎ 4 A: reads the stock", "13 B: writes the stock ╎",
		"11 A: writes the stock ╎ 11 A: writes the stock")
	press(m, "esc", "c")
	pickMove(t, m, "A: DEL lock:stock")
	if m.game.goal.depth != 13 || len(m.game.superfluous) != 2 || m.Frame().Won != won {
		t.Errorf("one move later, the goal is reached by %d moves", m.game.goal.depth)
	}
	press(m, "left", "esc", "esc")
	if at(m) != "levels" {
		t.Fatalf("esc leads to %s", at(m))
	}
	wantText(t, m, "13 moves; fewest 11 (pr", "Result 13 moves; fewest 11 (proven)")
	press(m, "enter")
	wantGame(t, m, 13, 14, 1)
	press(m, "left", "c", "left")
	if play(m).outcome() != "" {
		t.Error("before the goal it passes for reached")
	}
	press(m, "right", "right")
	if play(m).outcome() == "" || !view(m).card {
		t.Error("back at the goal it is not reached")
	}
}

// TestBestResult: a longer way does not take the place of a shorter one.
func TestBestResult(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "oversell", 80, 24)
	longWay(t, m)
	press(m, "enter", "g")
	pickMove(t, m, "B: begins")
	for _, words := range []string{
		"A: begins", "A: SET lock:stock A-1 EX 5 NX", "A: enters the critical section", "A: reads the stock",
		"time: 5.001s, lock:stock expires", "B: SET lock:stock B-1 EX 5 NX", "B: enters the critical section",
		"B: reads the stock", "B: writes the stock", "A: writes the stock",
	} {
		pickMove(t, m, words)
	}
	wantText(t, m, "11 moves; fewest 11 (proven)")
	if best := m.progress.Levels["oversell"]; best.Moves != 11 {
		t.Errorf("best is %+v", best)
	}
	worse := progress.Level{Moves: 3, GaveUp: true}
	for _, r := range []progress.Level{{Moves: 12}, {Moves: 4, Faults: 1}, worse} {
		if r.Better(progress.Level{Moves: 11}) {
			t.Errorf("%+v counts for better than 11 moves", r)
		}
	}
	if !(progress.Level{Moves: 30}).Better(worse) || !(progress.Level{Moves: 9}).Better(progress.Level{Moves: 8, Faults: 1}) {
		t.Error("fewer faults, or not having given up, count for nothing")
	}
}

func TestHints(t *testing.T) {
	m := atLevel(t, Options{}, "oversell", 80, 24)
	about := m.levels.find("oversell").About(m.book, "en")
	for i, hint := range []string{about.Hint1, about.Hint2, about.Hint3, about.Hint3} {
		press(m, "i")
		wantText(t, m, hint)
		if i < 3 && m.game.hints != i+1 {
			t.Errorf("%d hints after %d", m.game.hints, i+1)
		}
	}
	press(m, "x")
	if m.game.gaveUp {
		t.Error("one can give up where nobody knows the shortest")
	}
}

func TestGiveUp(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "oversell", 80, 24)
	pickMove(t, m, "B: begins")
	press(m, "x")
	wantGame(t, m, 0, 11, 2)
	wantText(t, m, "These are the 11 moves of a shortest solution")
	for range 11 {
		press(m, "right")
	}
	if !view(m).card || !m.game.at.breaks("lost-update") {
		t.Errorf("its end breaks nothing:\n%s", m.View())
	}
	if best := m.progress.Levels["oversell"]; best.Moves != 0 || !best.GaveUp {
		t.Errorf("what the explorer does counts as the learner's: %+v", best)
	}
	press(m, "esc", "tab")
	wantText(t, m, "explorer", "lost-update")
	press(m, "esc")
	wantText(t, m, "given up, par 11")
}

func TestNobodyCan(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "fenced-write", 80, 24)
	press(m, "x")
	wantText(t, m, "Nobody can: none of", "1915 states", "no fault")
	wantGame(t, m, 0, 0, 1)
}

// TestClaim: who says that nobody can is told at once whether it is so, and what was
// proven then; but not how somebody can.
func TestClaim(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "fenced-write", 80, 24)
	press(m, "o")
	wantText(t, m, "Right. Nobody can: none of the 1915 states", "no fault")
	if works(m, claimKey) || works(m, giveUpKey) || works(m, hintKey) {
		t.Error("what is proven can still be given up")
	}
	press(m, "f")
	wantText(t, m, "An update without a lock", "0 moves")
	press(m, "esc", "up")
	wantText(t, m, "fenced, nobody can: right")

	m = atLevel(t, Options{Explorer: explorer(t)}, "oversell", 80, 24)
	press(m, "o")
	wantText(t, m, "No: some schedule reaches the goal.", "Goal One item is left")
	wantNotIn(t, m, "Result", "11")
	longWay(t, m)
	wantText(t, m, "Reached: 13 moves; fewest 11 (proven)")
	if got := m.progress.Levels["oversell"]; got != (progress.Level{Moves: 13, Claimed: true}) {
		t.Errorf("kept: %+v", got)
	}
}

// TestTried: one move is a try, and looking is none.
func TestTried(t *testing.T) {
	m := atLevel(t, Options{}, "oversell", 80, 24)
	press(m, "down", "i")
	if len(m.progress.Levels) > 0 {
		t.Errorf("looking counts: %+v", m.progress.Levels)
	}
	press(m, "enter")
	if got, tried := m.progress.Levels["oversell"]; !tried || got != (progress.Level{}) {
		t.Errorf("kept: %+v", m.progress.Levels)
	}
	press(m, "esc")
	wantText(t, m, "set-del, not won yet")
}

// TestCodeBesideMoves: where there is room for both, the line that sent the last
// command stands below the moves or beside them.
func TestCodeBesideMoves(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 45}} {
		m := atLevel(t, Options{}, "oversell", size[0], size[1])
		press(m, "enter", "enter")
		wantText(t, m, "Pick a move", "A: enters the critical section", "Source set_del.go", "l.Redis.SetNX(ctx,", "Steps", "SET lock:stock")
	}
}

// TestGuided: a guided level is won with enter alone, and is an ordinary one as soon as the
// learner picks something else.
func TestGuided(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "delete-the-next", 80, 24)
	wantText(t, m, "Guided The next move is chosen for you")
	for range m.game.level.Guide {
		press(m, "enter")
	}
	wantText(t, m, "Reached: 10 moves", "VIOLATED foreign-release")
	m = atLevel(t, Options{}, "delete-the-next", 80, 24)
	pickMove(t, m, "B: begins")
	if strings.Contains(m.View(), "Guided") || m.game.guide() != nil {
		t.Errorf("it still guides:\n%s", m.View())
	}
}

// TestCauseIsMissing: a level with a cause says which half of its goal is missing, and so
// does a run in which nothing can happen any more.
func TestCauseIsMissing(t *testing.T) {
	m := atLevel(t, Options{}, "the-dead-renewed", 80, 24)
	for _, move := range []string{"A: begins", "A: MULTI; SETNX lock:stock A-1; EXPIRE lock:stock 5; EXEC", "A: crash"} {
		pickMove(t, m, move)
	}
	wantText(t, m, "Result Half of it: lock-recovers is violated. Its cause is still missing, overwritten-lease:")
	if m.game.goal != nil || view(m).card {
		t.Errorf("half a goal passes for a whole one:\n%s", m.View())
	}
	m = atLevel(t, Options{}, "compared-in-one", 80, 24)
	for range 60 {
		press(m, "enter")
	}
	wantText(t, m, "Result Nothing can happen any more, and")
}
