package tui

import (
	"context"
	"strings"
	"testing"

	"lockstep/explain"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// findCauses is how tests find out what a violation depends on.
var findCauses = scenarios.Causes

// toldCauses takes what a history says of a violation for its causes, where
// any will do: the search plays the run many times.
func toldCauses(_ context.Context, _ history.History, v history.Violation) (causes []explain.Cause, err error) {
	for _, seq := range v.Causes {
		causes = append(causes, explain.Cause{Kind: explain.Order, Seq: seq})
	}
	return causes, nil
}

// learnCauses answers what a model has asked of the violation on its card.
func learnCauses(m *shell) {
	if view(m).run == nil || view(m).violation >= len(view(m).run.Found) {
		return
	}
	if f := view(m).run.Found[view(m).violation]; f.Asked && !f.Known {
		causes, err := findCauses(m.background.ctx, view(m).run.History, f.Violation)
		m.Update(answerOf(m, explained{view(m).run, view(m).violation, causes, err}))
	}
}

// TestCausesAreAskedOnce, when a card is there, and told when they are known.
func TestCausesAreAskedOnce(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	_, cmd := m.Update(keyMsg("f"))
	if cmd == nil || !strings.Contains(m.View(), "playing it again") {
		t.Fatalf("nothing is asked:\n%s", m.View())
	}
	if _, again := m.Update(nil); again != nil {
		t.Error("it is asked again")
	}
	m.Update(cmd())
	if v := m.View(); !strings.Contains(v, "Without any one of these") || !strings.Contains(v, "expires (was A-1)") {
		t.Errorf("the causes are not told:\n%s", v)
	}
	m.background.end()
}

// TestCausesThatCannotBeFound: why is said on the card.
func TestCausesThatCannotBeFound(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	m.Update(keyMsg("f"))
	m.Update(answerOf(m, explained{view(m).run, view(m).violation, nil, context.DeadlineExceeded}))
	if !strings.Contains(m.View(), "deadline exceeded") {
		t.Errorf("the trouble is not told:\n%s", m.View())
	}
}
