package pages

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestMoveTexts: every kind of move has words in every language.
func TestMoveTexts(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := start(t, Options{Lang: lang, Story: parse(t, crashStory)}, 80, 24)
		press(m, "t")
		for _, config := range []string{
			"strategy=set-del work=2s", "strategy=getset-timestamp", "strategy=optimistic-version", "strategy=watchdog-naive work=9s", "strategy=pubsub-wakeup", "strategy=list-semaphore",
		} {
			c := testkit.Must(history.ParseConfig(config))(t)
			for _, text := range []string{"", "A", "A A.send", "A A.send tick", "A A.lose-reply tick", "A*4", "A*4 tick", "A*5", "A*6", "A*3 B*3 A*5", "B*3 A*3", "A*2 B*3 A"} {
				s := testkit.Must(history.ParseSchedule(text))(t)
				p, err := scenarios.Look(t.Context(), c, s, nil)
				if err != nil {
					continue // not a schedule of this lock
				}
				for _, move := range p.Moves {
					if words := play(m).moveText(move); words == "" || strings.HasSuffix(words, ": ") || strings.Contains(words, "<no value>") {
						t.Errorf("%s, after %s: %v is %q", config, text, move.Action, words)
					}
					if m.Text(groupOf(move.Action)) == "" {
						t.Errorf("%v has no heading", move.Action)
					}
				}
			}
		}
	}
}
