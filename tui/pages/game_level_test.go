package pages

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// explorer is one whose proofs are known: the shortest way to sell twice, and
// for any other level that there is none. Of moves that are made it proves nothing.
func explorer(t testing.TB) Explorer {
	t.Helper()
	oversell := testkit.Must(history.ParseSchedule("A*4 B tick B*4 A"))(t)
	return func(_ context.Context, l *scenarios.Level) (Proof, error) {
		if l.After != "" {
			return Proof{Limit: "states"}, nil
		}
		if l.ID == "oversell" {
			return Proof{Schedule: oversell, Shortest: true, States: 601}, nil
		}
		return Proof{States: 1915, Assumptions: lang.Join("; ", l.Config, lang.New("no fault"))}, nil
	}
}

// atLevel opens a level.
func atLevel(t testing.TB, o Options, id string, w, h int) *Shell {
	t.Helper()
	m := start(t, o, w, h)
	openLevel(t, m, id)
	return m
}

// openLevel opens a level from the list of locks.
func openLevel(t testing.TB, m *Shell, id string) {
	t.Helper()
	press(m, "b")
	if lock := m.levels.find(id).Lock(); lock != "" {
		downTo(t, m, func(l *scenarios.Level) bool { return l.Lock() == lock })
		press(m, "enter")
	}
	downTo(t, m, func(l *scenarios.Level) bool { return l.ID == id })
	press(m, "enter")
}

// downTo goes down the list of levels to the first that is meant.
func downTo(t testing.TB, m *Shell, meant func(*scenarios.Level) bool) {
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
func longWay(t testing.TB, m *Shell) {
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

// TestReasonsOfClaims: each level that nobody can win has a reason, which is among the choices. The
// one for mutual exclusion is true where nobody is inside without the lock.
func TestReasonsOfClaims(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	met := 0
	for i := range m.levels.list {
		l := &m.levels.list[i]
		p := &gamePage{viewer: viewer{failing: failing{shared: m.shared}}, game: &game{level: l}}
		digits := p.reasonDigits()
		for _, c := range p.reasons() {
			if c.Label == "" || m.Text("claim_not_"+c.Answer) == "" {
				t.Errorf("%s: reason %s has no words", l.ID, c.Answer)
			}
		}
		if l.Par > 0 {
			continue
		}
		if met++; len(digits) != 4 || !strings.Contains(digits[1:], digits[:1]) {
			t.Errorf("%s: %s", l.ID, digits)
		}
		for _, cell := range scenarios.ExploredCells() {
			if digits[0] == '3' && cell.Lock == l.Lock() && cell.Hazard == l.Hazard && (cell.Cut || slices.Contains(cell.Violates, history.PhantomHold)) {
				t.Errorf("%s: a client can be inside without the lock", l.ID)
			}
		}
	}
	if met < 100 {
		t.Errorf("%d levels", met)
	}
	for why, want := range []string{"0459", "1159", "2259", "3359", "4459", "5459"} { // of a course's own level
		p := &gamePage{viewer: viewer{failing: failing{shared: m.shared}}, game: &game{level: &scenarios.Level{Target: scenarios.Target{Goal: history.LockRecovers}, Why: why}}}
		if got := p.reasonDigits(); got != want {
			t.Errorf("why = %d: %s, want %s", why, got, want)
		}
	}
}

// TestBestResult: a longer way does not take the place of a shorter one.
func TestBestResult(t *testing.T) {
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
