package explore

import (
	"sync"
	"sync/atomic"

	"lockstep/internal/lang"
)

// batchSize is how many states are expanded before what they lead to is
// added. It does not depend on the number of workers, so that the order of the
// states does not either.
const batchSize = 1 << 12

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

// pieceSize is how many states of a batch a worker takes at a time.
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
		return lang.Errorf("explore: a state cannot be expanded") // a mistake in this package
	}
	jobs := len(e.workers)
	if len(e.batch) < pieceSize {
		jobs = 1
	}
	parallel(jobs, shardCount, func(_, to int) {
		for _, o := range e.sent {
			e.states.shards[to].add(&e.states.layout, o.rows[to], o.hashes[to])
		}
	})
	e.collect(faults, depth)
	e.batch = e.batch[:0]
	return nil
}

// expand sends what can follow states, in their order, and appends those to
// unknown that need something that has yet to be learnt.
func (e *search) expand(list []uint32, faulty bool, unknown []uint32) []uint32 {
	pieces := (len(list) + pieceSize - 1) / pieceSize
	for len(e.spare) < pieces {
		e.spare = append(e.spare, &outbox{})
	}
	boxes := e.spare[len(e.spare)-pieces:]
	e.spare = e.spare[:len(e.spare)-pieces]
	parallel(len(e.workers), pieces, func(worker, i int) {
		e.workers[worker].expand(boxes[i], list[i*pieceSize:min((i+1)*pieceSize, len(list))], faulty)
	})
	for _, o := range boxes {
		unknown = append(unknown, o.unknown...)
	}
	e.sent = append(e.sent, boxes...)
	return unknown
}

// learn learns what it takes to expand states, and makes room for it.
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
			o.rows[i] = repack(rows, len(sizes), &from, &e.states.layout)
		}
	}
	return nil
}

// collect takes from the outboxes what is not states, and looks at the limits.
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
		e.report.Limit = "interrupt"
	}
	if e.options.Progress != nil {
		e.options.Progress(Progress{states, faults, depth})
	}
}

// parallel calls do with 0 to n-1, as many at a time as there are workers, and
// waits. Whoever is free takes the next; do is told which worker that is. A
// panic in one of them becomes the caller's, who can do something about it.
func parallel(workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	panics := make([]any, min(workers, n))
	work := func(worker int) {
		defer func() { panics[worker] = recover() }()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(worker, i)
		}
	}
	var group sync.WaitGroup
	for worker := 1; worker < len(panics); worker++ {
		group.Go(func() { work(worker) })
	}
	if n > 0 {
		work(0)
	}
	group.Wait()
	for _, reason := range panics {
		if reason != nil {
			panic(reason)
		}
	}
}
