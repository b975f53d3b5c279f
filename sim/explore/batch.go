package explore

import (
	"cmp"

	"lockstep/internal/lang"
	"lockstep/sim/internal/parallel"
)

// batchSize is the number of states that are expanded before their successors
// are added. It does not depend on the number of workers, so that the order of
// the states does not either. Tests make it smaller.
var batchSize = 1 << 12

// spread expands the states of a level.
func (e *search) spread(from *level, faulty bool, faults, depth int) error {
	for n := range from.states() {
		e.batch = append(e.batch, n)
		if len(e.batch) == batchSize {
			if err := e.expandBatch(faulty, faults, depth); err != nil {
				return err
			}
		}
	}
	return e.expandBatch(faulty, faults, depth)
}

// pieceSize is the number of states that a worker takes from a batch at a time.
const pieceSize = 1 << 8

func (e *search) expandBatch(faulty bool, faults, depth int) error {
	if len(e.batch) == 0 || e.report.Limit != "" {
		e.batch = e.batch[:0]
		return nil
	}
	e.unknown = e.expand(e.batch, faulty, e.unknown[:0])
	if err := e.learn(e.unknown, faulty); err != nil {
		return err
	}
	if left := e.expand(e.unknown, faulty, nil); len(left) > 0 {
		return lang.Errorf("explore: a state cannot be expanded") // a bug in this package
	}
	jobs := len(e.workers)
	if len(e.batch) < pieceSize {
		jobs = 1
	}
	parallel.Do(jobs, shardCount, func(_, to int) {
		for _, o := range e.sent {
			e.states.shards[to].add(&e.states.layout, o.rows[to], o.hashes[to])
		}
	})
	e.collect(faults, depth)
	e.batch = e.batch[:0]
	if e.Merging().Ways < 2*e.merged+fewMerged {
		return nil
	}
	return e.verifyMerges()
}

// fewMerged is how many ways are merged before they are first verified. After
// that, they are verified whenever their number has doubled: a search in a
// wrong automaton is a waste.
const fewMerged = 16

// verifyMerges verifies the merges of all learners. A search that is interrupted is no proof, and
// whoever shows its counterexamples plays them, so it need not wait for this.
func (e *search) verifyMerges() error {
	e.merged = e.Merging().Ways
	return e.forEach(func(learner int) error { return e.VerifyMerges(e.ctx, learner, len(e.workers)) })
}

// verify verifies all learners.
func (e *search) verify() error {
	return e.forEach(func(learner int) error { return e.VerifyLearner(e.ctx, learner) })
}

// forEach calls do for all learners, several at once.
func (e *search) forEach(do func(learner int) error) error {
	errs := make([]error, e.Learners())
	parallel.Do(len(e.workers), len(errs), func(_, learner int) { errs[learner] = do(learner) })
	return cmp.Or(errs...) // the same, whichever ended first
}

// expand sends the successors of states, in order, and appends the states to
// unknown whose transitions are not learned.
func (e *search) expand(list []uint32, faulty bool, unknown []uint32) []uint32 {
	pieces := (len(list) + pieceSize - 1) / pieceSize
	for len(e.spare) < pieces {
		e.spare = append(e.spare, &outbox{})
	}
	boxes := e.spare[len(e.spare)-pieces:]
	e.spare = e.spare[:len(e.spare)-pieces]
	parallel.Do(len(e.workers), pieces, func(worker, i int) {
		e.workers[worker].expand(boxes[i], list[i*pieceSize:min((i+1)*pieceSize, len(list))], faulty)
	})
	for _, o := range boxes {
		unknown = append(unknown, o.unknown...)
	}
	e.sent = append(e.sent, boxes...)
	return unknown
}

// learn learns the transitions of states, and widens the layout if necessary.
func (e *search) learn(unknown []uint32, faulty bool) error {
	for _, n := range unknown {
		if _, err := e.successors(e.states.at(n), faulty); err != nil {
			return err
		}
	}
	sizes := e.sizes()
	if e.states.layout.fits(sizes) {
		return nil
	}
	from := e.states.layout
	e.states.widen(sizes, len(e.workers))
	for _, o := range e.sent {
		for i, rows := range o.rows {
			o.rows[i] = repack(rows, len(sizes), &from, &e.states.layout, len(rows)/(from.words+1))
		}
	}
	return nil
}

// collect takes the hits and ends from the outboxes, and checks the limits.
func (e *search) collect(faults, depth int) {
	for _, o := range e.sent {
		for _, h := range o.hits {
			e.note(h, [2]int{faults, depth})
		}
		for _, n := range o.ending {
			e.ends = append(e.ends, end{n, faults, depth - 1})
		}
		o.reset()
	}
	e.spare, e.sent = append(e.spare, e.sent...), e.sent[:0]
	states, most := e.states.len(), e.bounds.States
	if e.bounds.Unbroken > 0 && len(e.costs) == 0 {
		most = e.bounds.Unbroken
	}
	switch {
	case most > 0 && states > most:
		e.report.Limit = "states"
	case e.full():
		e.report.Limit = outOfMemory
	case e.ctx.Err() != nil:
		e.report.Limit = Interrupt
	}
	if e.options.Progress != nil {
		e.options.Progress(Progress{states, faults, depth})
	}
}
