package pages

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/sim/history"
)

// toldCauses takes what a history says of a violation for its causes, where
// any will do: the search plays the run many times.
func toldCauses(_ context.Context, h history.History, v history.Violation) (a explain.Account, err error) {
	for _, seq := range v.Causes {
		a.Causes = append(a.Causes, explain.Cause{Kind: explain.Order, Seq: seq})
		a.Why = append(a.Why, explain.Sentence{ID: "order-enter", Seq: seq})
	}
	if len(v.Causes) > 0 { // had it been as it was
		o := explain.IfOnly{Asks: explain.Sentence{ID: "if-neither"}, Causes: []int{0}, Remedy: -1}
		o.Played, o.Violations = h, []history.Violation{v}
		for range h.Schedule {
			o.Ends = append(o.Ends, len(h.Events)*(len(o.Ends)+1)/len(h.Schedule))
		}
		a.IfOnly = append(a.IfOnly, o)
	}
	return a, nil
}

// learnCauses answers what a model has asked of the violation on its card.
func learnCauses(m *Shell) {
	if view(m).run == nil || view(m).violation >= len(view(m).run.Found) {
		return
	}
	if f := &view(m).run.Found[view(m).violation]; f.Asked && !f.Known {
		account, err := m.explain(m.background.ctx, view(m).run.History, f.Violation)
		view(m).isExplained(f, explained{account, err})
		m.Update(nil)
	}
}

// TestCausesAreAskedOnce, when a card is there, and told when they are known.
func TestCausesAreAskedOnce(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	cmd := m.Update(keyMsg("f"))
	if cmd == nil || !strings.Contains(m.View(), "Finding the causes") {
		t.Fatalf("nothing is asked:\n%s", m.View())
	}
	if again := m.Update(nil); again != nil {
		t.Error("it is asked again")
	}
	m.Update(cmd())
	if v := m.View(); !strings.Contains(v, "was over by 5.001s") {
		t.Errorf("the causes are not told:\n%s", v)
	}
	m.background.end()
}

// TestCausesThatCannotBeFound: why is said on the card.
func TestCausesThatCannotBeFound(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	m.Update(keyMsg("f"))
	m.explain = func(context.Context, history.History, history.Violation) (explain.Account, error) {
		return explain.Account{}, context.DeadlineExceeded
	}
	learnCauses(m)
	if !strings.Contains(m.View(), "deadline exceeded") {
		t.Errorf("the trouble is not told:\n%s", m.View())
	}
}
