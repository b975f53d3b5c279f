package explore

import "slices"

// progressEvery is after how many states the progress is told.
const progressEvery = 1 << 12

// expand adds the successors of a state to the visited set, and notes what their
// transitions violate. at is their cost.
func (e *search) expand(n uint32, faulty bool, at [2]int) error {
	from := e.states.at(n)
	list, err := e.successors(from, faulty)
	if err != nil {
		return err
	}
	if !faulty && !e.goesOn(from, list) {
		e.ends = append(e.ends, end{n, at[0], at[1] - 1})
	}
	e.report.Transitions += len(list)
	for i := range list {
		t := &list[i]
		e.fired, e.acted = oneMore(e.fired, int(t.events)), oneMore(e.acted, int(t.action))
		if _, ticks := e.spends(t, faulty); ticks > 0 && e.Waits(t.monitor) {
			e.report.Counts.Waited++
		}
		if t.violates&^e.settled != 0 && e.counts(e.caused(from, t)) {
			e.note(hit{t.violates, n, t.who, t.action}, at)
		}
		e.change(e.to, from, t, faulty)
		e.states.add(e.to, n)
	}
	return nil
}

// goesOn reports whether a state has a successor without a fault, other than by
// a spin.
func (e *search) goesOn(from state, list []transition) bool {
	if len(e.spinning) == 0 {
		return len(list) > 0
	}
	return slices.ContainsFunc(list, func(t transition) bool {
		who := int(t.who)
		return who == nobody || !e.stepMoves.of(who, from).spins
	})
}

// limit returns what ends the search now; "" if nothing does.
func (e *search) limit() string {
	states, most := e.states.len(), e.bounds.States
	if e.bounds.Unbroken > 0 && len(e.costs) == 0 {
		most = e.bounds.Unbroken
	}
	switch {
	case most > 0 && states > most:
		return OutOfStates
	case e.full():
		return OutOfMemory
	case e.ctx.Err() != nil:
		return Interrupt
	}
	return ""
}

// fewMerged is how many ways are merged before they are first verified. After
// that, they are verified whenever their number has doubled: a search in a
// wrong automaton is a waste.
const fewMerged = 16

// verifyMerges verifies the merges of all clients. A search that is interrupted is no proof, and
// whoever shows its counterexamples plays them, so it need not wait for this.
func (e *search) verifyMerges() error {
	e.merged = e.Merging().Ways
	return e.VerifyMerges(e.ctx)
}

// verify verifies what all clients do.
func (e *search) verify() error { return e.Verify(e.ctx) }

// oneMore adds one to an element of a list, which grows as needed.
func oneMore(list []int, which int) []int {
	for which >= len(list) {
		list = append(list, 0)
	}
	list[which]++
	return list
}
