package pages

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// quizStory asks before a command that takes several rows, twice before
// another one, once without saying why.
const quizStory = `world strategy=set-del clients=A,B ttl=5s
----

predict "How many are inside?" inside = 1
because 1 "Nobody else has come."
because 2 "B has yet to begin."
run A until=in-critical
----

predict "How many writes are there?" writes = 0
because 0 "A has only entered."
because 1 "A is yet to write."
predict "Whose lock is it?" holder
keys
----

keys
----
`

// TestNoscriptIsExplained once, where a node does not know a script.
func TestNoscriptIsExplained(t *testing.T) {
	s := testkit.Must(scenarios.Find("lua_closes_the_gap"))(t)
	m := start(t, Options{Story: s}, 80, 24)
	seen := 0
	for range view(m).player.rows {
		if strings.Contains(m.View(), "NOSCRIPT: Redis does not know") {
			seen++
		}
		forward(m)
	}
	if seen != 1 {
		t.Errorf("it is explained %d times", seen)
	}
}

// TestEveryCaptionIsShown: who steps forward reads the caption of each command, also where
// the command ends right before a question.
func TestEveryCaptionIsShown(t *testing.T) {
	stories := scenarios.Stories()
	for _, story := range stories {
		m := start(t, Options{Story: story}, 100, 30)
		p := m.page().(*storyPage)
		shown := ""
		for row := range p.run.Rows {
			shown += p.captionAt(row).Text + "\n"
		}
		for row := range p.run.Rows {
			step := p.run.Step(row)
			if step == nil || !p.run.Rows[row].First {
				continue
			}
			if text := step.Caption(m.Book, m.lang); !strings.Contains(shown, text) {
				t.Errorf("%s: nobody reads %q", story.Name, text)
			}
		}
	}
}
