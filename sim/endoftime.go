package sim

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// ErrEndOfTime says that a world's time, or a clock, would pass the end that
// history.MaxTime sets.
var ErrEndOfTime = lang.Errorf("time would pass its end")

// endOfTime refuses that time moves to a moment that is too late.
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

// jumpEnds refuses that a clock which is so far ahead of the world's time jumps
// by too much more.
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

// Err is an error where what is refused ends a run, rather than not being
// possible just now: it wraps ErrEndOfTime. It is nil otherwise.
func (r Refusal) Err() error { return r.end }
