package sim

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// ErrEndOfTime is the error for a time or a clock beyond history.MaxTime.
var ErrEndOfTime = lang.Errorf("time would pass its end")

// endOfTime refuses a moment beyond history.MaxTime.
func (m *attempt) endOfTime(to history.Millis) Refusal {
	if to > history.MaxTime {
		return tooLate("it ends at %v", history.MaxTime)
	}
	for i := range m.Clients {
		if c := &m.Clients[i]; !c.Dead && !near(c.Clock.deviation(to)) {
			return strays(m.Names[i])
		}
	}
	for i := range m.Nodes {
		if !near(m.health(i).Clock.deviation(to)) {
			return strays(NodeName(i))
		}
	}
	return Refusal{}
}

// jumpEnds refuses a jump that would move a clock too far from the world's time.
func jumpEnds(whose string, ahead, by history.Millis) Refusal {
	if by < -history.MaxTime-ahead || by > history.MaxTime-ahead {
		return strays(whose)
	}
	return Refusal{}
}

func near(ahead history.Millis) bool { return -history.MaxTime <= ahead && ahead <= history.MaxTime }

func strays(whose string) Refusal {
	return tooLate("the clock of %s would be more than %v from the world's", whose, history.MaxTime)
}

func tooLate(format string, args ...any) Refusal {
	err := lang.Errorf("%w: %v", ErrEndOfTime, lang.New(format, args...))
	return Refusal{lang.New("%v", err), err}
}

// Err is an error that wraps ErrEndOfTime if the refusal ends the run; nil if
// the action is only impossible now.
func (r Refusal) Err() error { return r.end }
