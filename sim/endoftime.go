package sim

import (
	"errors"
	"fmt"

	"lockstep/sim/history"
)

// ErrEndOfTime says that a world's time, or a clock, would pass the end that
// history.MaxTime sets.
var ErrEndOfTime = errors.New("time would pass its end")

// endOfTime returns an error if time cannot move to a moment.
func (w *World) endOfTime(to history.Millis) error {
	if to > history.MaxTime {
		return fmt.Errorf("%w: it ends at %v", ErrEndOfTime, history.MaxTime)
	}
	for _, c := range w.clients {
		if !c.dead && !near(c.clock.deviation(to)) {
			return strays(c.name)
		}
	}
	return nil
}

// JumpEnds returns an error that wraps ErrEndOfTime if a clock that is so far ahead of the world's time
// cannot jump by so much more.
func JumpEnds(whose string, ahead, by history.Millis) error {
	if by < -history.MaxTime-ahead || by > history.MaxTime-ahead {
		return strays(whose)
	}
	return nil
}

func near(ahead history.Millis) bool { return -history.MaxTime <= ahead && ahead <= history.MaxTime }

func strays(whose string) error {
	return fmt.Errorf("%w: the clock of %s would be more than %v from the world's", ErrEndOfTime, whose, history.MaxTime)
}

// why writes a reason as Refusal does.
func why(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
