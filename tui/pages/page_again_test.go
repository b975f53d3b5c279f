package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/scenarios"
)

// TestNumberIsTyped: a missed question for a number comes back with nothing to choose from. r1, r4 and
// r5 vote for B in the run that was seen; all five do where A works for longer than its lease.
func TestNumberIsTyped(t *testing.T) {
	stories := scenarios.Stories()
	story := stories[slices.IndexFunc(stories, func(s *scenarios.Story) bool { return s.Name == "a_restarted_node_votes_twice" })]
	beat := slices.IndexFunc(story.Steps, func(s scenarios.Step) bool { return len(s.Predict) > 0 })
	for _, lang := range []string{"en", "zh"} {
		m := start(t, Options{Lang: lang}, 80, 24)
		drain(m, m.do(m.again([]question{{Story: story, asked: asked{beat, 0}}}, false, func() act { return restack(m.opensIn()) })))
		typed := func(want string) {
			t.Helper()
			if f := m.Frame(); f.Writes == nil || *f.Writes != want {
				t.Errorf("typed %v, want %q:\n%s", f.Writes, want, m.View())
			}
			wantText(t, m, m.Text("again_number"), "> "+want+"_", "[u]")
			if strings.Contains(m.View(), "[1]") {
				t.Errorf("there is something to choose from:\n%s", m.View())
			}
		}
		typed("")
		press(m, "enter")
		wantText(t, m, m.Gap("why_question", m.named(unsureKey)))
		press(m, "3", "backspace", "backspace", "1", "2", "3", "4", "5", "x")
		typed("1234")
		again := func(keys ...string) {
			drain(m, m.do(m.again([]question{{Story: story, asked: asked{beat, 0}}}, false, func() act { return restack(m.opensIn()) })))
			press(m, keys...)
		}
		press(m, "enter")
		right := m.Answer("votes B", "5")
		wantText(t, m, m.Fill("answer_wrong", facts{What: right, Said: "1234"}))
		again("0", "0", "3", "enter")
		wantText(t, m, m.Fill("answer_wrong", facts{What: right, Said: m.Answer("votes B", "3")}))
		again("u")
		wantText(t, m, m.Gap("answer_told", right))
		again("5", "enter")
		if f := m.Frame(); f.Writes != nil || !m.progress.Predictions[story.Name][story.Steps[beat].Predict[0].Question].Last {
			t.Errorf("5 is not right:\n%s", m.View())
		}
		wantText(t, m, m.Fill("answer_right", facts{What: right}), m.Fill("again_was", facts{What: "redlock", Said: m.Answer("votes B", "3")}))
		press(m, " ")
		m.talk = &talk{}
		again("9")
		if f := m.Frame(); f.Writes != nil || m.talk.number != "" || !strings.Contains(m.View(), "[1] ") {
			t.Errorf("in a talk a class has choices, and no digit is a chapter's:\n%s", m.View())
		}
		m.talk = nil
		press(m, "esc")
		if at(m) == "again" {
			t.Error("it does not go on")
		}
	}
}

// TestTitleOfANeighbour: it names the lock of the run that the question is about.
func TestTitleOfANeighbour(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	for _, story := range scenarios.Stories() {
		for beat, step := range story.Steps {
			for n := range step.Predict {
				settings, _ := step.Predict[n].Elsewhere()
				lock, other := strings.CutPrefix(settings, "strategy=")
				if !other {
					continue
				}
				drain(m, m.do(m.again([]question{{Story: story, asked: asked{beat, n}}}, false, nil)))
				if _, got := m.page().title(); got != m.lockName(lock) {
					t.Errorf("%s: the title names %s, not %s:\n%s", story.Name, got, lock, m.View())
				}
				return
			}
		}
	}
	t.Error("no question has a neighbouring run of another lock")
}
