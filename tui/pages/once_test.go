package pages

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A run and what is told of it are the same in every test, and take as long as
// all else that they do. Each is computed once and then shared; nobody changes
// it. TestRunsAreNotChanged compares them with new ones.
var (
	runs     once[*scenarios.Result]
	replays  once[*scenarios.Result] // by lock and schedule
	accounts once[explain.Account]
)

// once is what was computed, by its key.
type once[V any] struct {
	sync.Mutex
	known map[string]V
}

func (o *once[V]) get(key string, compute func() (V, error)) (V, error) {
	o.Lock()
	defer o.Unlock()
	if v, ok := o.known[key]; ok {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err // which may be that somebody has left the page
	}
	if o.known == nil {
		o.known = map[string]V{}
	}
	o.known[key] = v
	return v, nil
}

// knownRun is scenarios.Run.
func knownRun(ctx context.Context, s *scenarios.Story) (*scenarios.Result, error) {
	return runs.get(runOf(s, ""), func() (*scenarios.Result, error) { return scenarios.Run(ctx, s) })
}

// knownAgainst is scenarios.RunAgainst.
func knownAgainst(ctx context.Context, s *scenarios.Story, lock string) (*scenarios.Result, error) {
	return runs.get(runOf(s, lock), func() (*scenarios.Result, error) { return scenarios.RunAgainst(ctx, s, lock) })
}

// runOf tells a story from every other one, and from itself with another lock.
func runOf(s *scenarios.Story, against string) string {
	return fmt.Sprint(s.Name, s.Steps[0].Text, s.Steps[0].Captions, len(s.Steps), " against ", against, "\n", s.Source())
}

// knownCauses is scenarios.Explain.
func knownCauses(ctx context.Context, h history.History, v history.Violation) (explain.Account, error) {
	key := fmt.Sprint(history.Token(h.Config, h.Schedule), " ", v)
	return accounts.get(key, func() (explain.Account, error) { return scenarios.Explain(ctx, h, v) })
}

// TestRunsAreNotChanged: a run that pages have shown is as it was played.
func TestRunsAreNotChanged(t *testing.T) {
	story := parse(t, overrunStory)
	m := start(t, Options{Story: story}, 80, 24)
	for range view(m).player.rows {
		forward(m)
	}
	press(m, "f", "c", "V", "home", "tab", "d", "enter", "right")
	shown := testkit.Must(knownRun(t.Context(), story))(t)
	played := testkit.Must(scenarios.Run(t.Context(), story))(t)
	for what, pair := range map[string][2]any{
		"history":    {shown.History, played.History},
		"violations": {shown.Violations, played.Violations},
		"output":     {shown.Outputs(), played.Outputs()},
		"transcript": {shown.Lines(), played.Lines()},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s was\n%v\nand is\n%v", what, pair[1], pair[0])
		}
	}
}
