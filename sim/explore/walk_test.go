package explore

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A walker returns the index of the next action.
type walker func(actions []history.Action) int

// prescribed picks the actions of a schedule.
func prescribed(t *testing.T, left history.Schedule) walker {
	return func(actions []history.Action) int {
		i := slices.Index(actions, left[0])
		if i < 0 {
			t.Fatalf("%s is not among\n%s", left, texts(actions))
		}
		left = left[1:]
		return i
	}
}

// uniform picks any action with equal probability.
func uniform(rng *rand.Rand) walker {
	return func(actions []history.Action) int { return rng.IntN(len(actions)) }
}

// favourites usually picks its favourite actions, so that some clients advance
// far while others wait.
func favourites(rng *rand.Rand) walker {
	likes := map[history.Action]float64{}
	return func(actions []history.Action) int {
		best := 0
		for i, a := range actions {
			if _, known := likes[a]; !known {
				likes[a] = rng.Float64()
			}
			if likes[a] > likes[actions[best]] {
				best = i
			}
		}
		if rng.IntN(7) == 0 {
			likes[actions[best]] -= 1
		}
		return best
	}
}

// A live world is played beside the explorer.
type live struct {
	*world.World
	bounds  Bounds
	monitor *history.Monitor
}

func (w *wilderness) live(t *testing.T) live {
	world, err := world.New(w.config, w.lock.Subject)
	if err != nil {
		t.Fatal(w.name, err)
	}
	return live{world, w.bounds, history.NewMonitor(w.config, world.History().Nodes)}
}

func (l live) schedule() history.Schedule { return l.History().Schedule }

func (l live) allowed() []history.Action {
	return l.bounds.Allowed(l.World, l.bounds.Spending(l.schedule()))
}

// take performs an action and returns the violations.
func (l live) take(a history.Action) (found []history.Violation, err error) {
	before := len(l.History().Events)
	if err := l.Perform(a); err != nil {
		return nil, err
	}
	for _, e := range l.History().Events[before:] {
		found = append(found, l.monitor.Observe(e)...)
	}
	return found, nil
}
