package explore

import (
	"context"
	"sync"

	"lockstep/internal/lang"
	"lockstep/internal/parallel"
)

// Matrix explores every lock under every hazard. Each of jobs workers explores one lock
// after the other. What it learns about a lock serves all hazards with the same
// configuration. A cell is the report on one lock under one hazard; they are ordered by
// lock. ask returns the question of a cell, of which Memory is for all workers together.
// Cells that are on the shelf, if it is not nil, are not explored.
// progress, if not nil, is called after each cell with the number of finished cells;
// calls never overlap. Locks start in order, and so do the cells of each.
//
// The first error ends the exploration. The end of ctx cuts short the running
// cells, and the limit of all others is interrupt.
func Matrix(ctx context.Context, locks []Lock, hazards []Hazard, ask Asking, jobs int, shelf Shelf, progress func(done, total int, r Report)) ([]Report, error) {
	jobs = max(1, min(jobs, len(locks)))
	question := func(n int) Question {
		q := ask(locks[n/len(hazards)], hazards[n%len(hazards)])
		q.Hazard.Bounds.Memory = (q.Hazard.Bounds.Memory + jobs - 1) / jobs
		return q
	}
	cells := make([]Report, len(locks)*len(hazards))
	var mu sync.Mutex
	var failure error
	done, failed := 0, len(cells) // cells, and the first with an error
	goesOn := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return failure == nil && ctx.Err() == nil
	}
	put := func(n int, r Report, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			if n < failed { // of those at work when the first failed
				failed, failure = n, err
			}
			return
		}
		cells[n] = r
		if done++; progress != nil {
			progress(done, len(cells), r)
		}
	}
	parallel.Do(jobs, len(locks), func(lock int) {
		row := NewRow(ctx, locks[lock])
		defer row.Close()
		for n := lock * len(hazards); n < (lock+1)*len(hazards) && goesOn(); n++ {
			r, err := row.cell(shelf, hazards[n%len(hazards)].ID, func() Question { return question(n) })
			put(n, r, err)
		}
	})
	if failure != nil {
		return nil, failure
	}
	for n := range cells {
		if cells[n].Hazard == "" { // ctx has ended
			cells[n] = question(n).Unanswered(Interrupt)
		}
	}
	return cells, nil
}

// An Asking returns the question of a lock under a hazard.
type Asking func(Lock, Hazard) Question

// Within asks of clients in the hazards' own configurations. Of limits only States,
// Unbroken, Depth, Memory and Exact count; the rest is the hazard's.
func Within(limits Bounds, clients ...string) Asking {
	return func(lock Lock, h Hazard) Question {
		h = h.On(lock.Subject)
		b := &h.Bounds
		b.States, b.Unbroken, b.Depth, b.Memory, b.Exact = limits.States, limits.Unbroken, limits.Depth, limits.Memory, limits.Exact
		return Question{Lock: lock, Hazard: h, Config: h.Config(lock, clients...)}
	}
}

// cell explores one cell. It returns a panic as an error: in a worker's
// goroutine it would end the program without restoring the terminal. It calls
// ask itself, so that a panic there is one too.
func (r *Row) cell(shelf Shelf, hazard string, ask func() Question) (report Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = lang.Errorf("panic: %v", p)
		}
		if err != nil {
			err = lang.Errorf("%s, %s: %w", r.lock.ID, hazard, err)
		}
	}()
	return r.Answer(r.ctx, shelf, ask(), Options{})
}
