package explore

import (
	"lockstep/internal/lang"
	"lockstep/sim/world"
)

// findLostWakeup decides lost-wakeup for every state in which time and all
// clients stand still. They come in the order of fewest faults and then fewest
// steps, so the first path is a shortest one.
func (f *orphanFinder) findLostWakeup() error {
	for _, end := range f.ends {
		if f.ctx.Err() != nil { // code that it ended stands still as well
			f.report.Limit = Interrupt
			return nil
		}
		ok, err := f.wakes(f.states.at(end.state))
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		s, err := f.simplest(end.state, f.wakes)
		if err != nil {
			return err
		}
		v, err := world.LostWakeup(f.ctx, f.Config, f.Subject, s)
		switch {
		case f.ctx.Err() != nil:
			continue
		case err != nil:
			return err
		case v == nil:
			return lang.Errorf("explore: in a real world everybody is woken after %s", s) // a bug in this package
		}
		f.addFound(Found{Violation: *v, Schedule: s, Shortest: f.proven([2]int{end.faults, end.depth})})
		return nil
	}
	return nil
}

// wakes reports whether a state does not violate lost-wakeup, or does not count.
func (f *orphanFinder) wakes(s state) (bool, error) {
	if !f.counts(s.cause()) {
		return true, nil
	}
	tuple := s[:len(f.Config.Processes())+1]
	if !f.Listens(tuple[:len(tuple)-1], tuple[len(tuple)-1]) {
		return true, nil
	}
	healed, err := f.endFaults(tuple)
	if err != nil {
		return false, err
	}
	if f.Stranded(healed[:len(healed)-1], healed[len(healed)-1]) < 0 {
		return true, nil
	}
	a, err := f.tupleRecovers(tuple)
	return a != recovering, err
}
