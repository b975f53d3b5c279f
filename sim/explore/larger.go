package explore

import "slices"

// LargerStates is the limit on the states of a larger world. It is on states alone,
// which are the same on every machine and whatever was explored before.
const LargerStates = 15_000

// Larger returns the question in worlds that are larger by one client, by one round, or
// by one fault if the hazard has any, and have at most LargerStates states. There is none
// where the usual world has more states, as a larger one is not decided then; nor for code
// with timers of its own: there a few states take as long as the usual world of another lock.
func (q Question) Larger(usualStates int) []Question {
	if s := q.Lock.Subject; usualStates > LargerStates || s.KeepsTime() && !s.Timeless {
		return nil
	}
	client, round, fault := q, q, q
	client.Config.Clients = append(slices.Clone(q.Config.Clients), string(rune('A'+len(q.Config.Clients))))
	round.Config.Rounds++
	fault.Hazard.Bounds.Budget++
	list := []Question{client, round}
	if q.Hazard.Bounds.Budget > 0 {
		list = append(list, fault)
	}
	for i := range list {
		list[i].Hazard.Bounds.States = LargerStates
	}
	return list
}
