package pages

import (
	"context"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestOutOfReach: the page says since which move nothing leads to the goal, also where it was found
// out only later, and not before that move, on another branch, or where a search was cut.
func TestOutOfReach(t *testing.T) {
	for _, cut := range []bool{false, true} {
		asked := 0
		o := Options{Explorer: func(_ context.Context, l *scenarios.Level) (p Proof, err error) {
			if asked++; !strings.HasPrefix(l.After, "A*2 B") {
				p.Schedule = history.Schedule{{Verb: history.Tick}}
			} else if cut {
				p.Limit = "states"
			}
			return p, nil
		}}
		m := atLevel(t, o, "oversell", 80, 24)
		says := func(want string) {
			t.Helper()
			if shown := strings.Contains(check(t, m), "Move "+want+" (B: begins) has put the goal out of reach"); shown != (want != "" && !cut) || want == "" && strings.Contains(m.View(), "out of reach") {
				t.Errorf("cut %v, want %q:\n%s", cut, want, m.View())
			}
		}
		drain(m, m.do(play(m).seek()))
		says("")
		pickMove(t, m, "A: begins")
		pickMove(t, m, "A: SET lock:stock A-1 EX 5 NX")
		play(m).game.seeking = true // a search that takes long
		pickMove(t, m, "B: begins")
		pickMove(t, m, "A: enters the critical section")
		says("")
		play(m).game.seeking = false
		drain(m, m.do(play(m).seek()))
		says("3")
		before := asked
		if drain(m, m.do(play(m).seek())); asked != before {
			t.Errorf("cut %v: what is known is searched again", cut)
		}
		press(m, "left")
		says("3")
		press(m, "left")
		says("")
		pickMove(t, m, "A: enters the critical section")
		drain(m, m.do(play(m).seek()))
		says("")
	}
}

// TestTakenIsNotReleased: the key of a client that has left is deleted by another, which the
// picture does not draw as a release by its owner.
func TestTakenIsNotReleased(t *testing.T) {
	m := atLevel(t, Options{}, "delete-the-next", 80, 30)
	p := play(m)
	schedule, err := history.ParseSchedule("A*6 tick B*5 A")
	if err != nil {
		t.Fatal(err)
	}
	drain(m, m.do(p.visit(p.game.plant(schedule, byLearner))))
	if shown := check(t, m); !strings.Contains(shown, "►"+m.Glyphs.Taken) || strings.Contains(shown, m.Glyphs.Freed) {
		t.Errorf("the DEL of A is drawn otherwise:\n%s", shown)
	}
}
