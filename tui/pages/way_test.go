package pages

import (
	"testing"

	"lockstep/internal/testkit"
)

// TestWayThroughTheCourse counts what the shortest way through the course takes: every
// question answered rightly, every level won by its fewest moves. Its figures are in
// docs/walkthrough.md.
func TestWayThroughTheCourse(t *testing.T) {
	testkit.Long(t, "it walks through the whole course")
	m := start(t, Options{}, 100, 30)
	press(m, "c")
	keys, steps, moves := 0, 0, 0
	for i, ch := range m.course.Chapters {
		was := [3]int{keys, steps, moves}
		m.course.chapter.at = i
		press(m, "enter")
		keys++
		for n := 0; ; n++ {
			if n > 2000 {
				t.Fatalf("%s does not end:\n%s", ch.ID, m.View())
			}
			page, ok := m.page().(*chapterPage)
			if !ok {
				break
			}
			keys++
			switch inner := page.page.(type) {
			case *storyPage:
				before := inner.player.at
				if _, q := inner.asking(); q != nil {
					press(m, answered(m, "@right"))
				} else {
					press(m, wayOn)
				}
				steps += max(0, inner.player.at-before)
			case *gamePage:
				moves += inner.game.level.Par
				press(m, "f")
			case *comparePage:
				before := inner.step.at
				press(m, wayOn)
				steps += max(0, inner.step.at-before)
			default:
				press(m, wayOn)
			}
		}
		t.Logf("%-20s %4d keys %4d steps %3d moves", ch.ID, keys-was[0], steps-was[1], moves-was[2])
	}
	t.Logf("%-20s %4d keys %4d steps %3d moves", "all", keys, steps, moves)
}

const wayOn = " "
