package explore

import (
	"context"
	"fmt"
	"sync"

	"lockstep/sim"
)

// A Lock is one row of the matrix.
type Lock struct {
	ID      string
	Subject sim.Subject
}

// A Cell is what came of one lock under one hazard.
type Cell struct {
	Lock   string
	Report Report
}

// Matrix explores every lock under every hazard, with jobs workers. The cells
// come back lock by lock, whoever computed them. Of limits only States and
// Depth count: the rest is the hazard's own. progress, if there is one, is told
// after each cell how many are done, and what came of it; it is never called
// twice at a time. Cells are begun in their order.
//
// The first error ends the work, as does ctx; a cell that was begun is
// finished.
func Matrix(ctx context.Context, locks []Lock, hazards []Hazard, clients []string, limits Bounds, jobs int, progress func(done, total int, c Cell)) ([]Cell, error) {
	m := &matrix{
		ctx: ctx, locks: locks, hazards: hazards, clients: clients, limits: limits,
		progress: progress, cells: make([]Cell, len(locks)*len(hazards)),
	}
	m.failed = len(m.cells)
	var workers sync.WaitGroup
	for range min(max(1, jobs), len(m.cells)) {
		workers.Go(m.work)
	}
	workers.Wait()
	switch {
	case m.err != nil:
		return nil, m.err
	case m.done < len(m.cells):
		return nil, ctx.Err()
	}
	return m.cells, nil
}

// A matrix is one under way.
type matrix struct {
	ctx      context.Context
	locks    []Lock
	hazards  []Hazard
	clients  []string
	limits   Bounds
	progress func(done, total int, c Cell)

	mu         sync.Mutex
	next, done int // cells
	failed     int // the first cell with an error
	err        error
	cells      []Cell
}

func (m *matrix) work() {
	for {
		n, ok := m.take()
		if !ok {
			return
		}
		c, err := m.compute(n)
		m.put(n, c, err)
	}
}

// compute explores one cell. A panic becomes an error: in a goroutine of its
// own it would end the program, and leave a terminal as the walkthrough has it.
func (m *matrix) compute(n int) (c Cell, err error) {
	lock, h := m.locks[n/len(m.hazards)], m.hazards[n%len(m.hazards)]
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("%s, %s: %w", lock.ID, h.ID, err)
		}
	}()
	h.Bounds.States, h.Bounds.Depth = m.limits.States, m.limits.Depth
	r, err := Check(m.ctx, h, lock.ID, lock.Subject, m.clients...)
	return Cell{lock.ID, r}, err
}

// take returns the next cell to compute, if there is to be one.
func (m *matrix) take() (n int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil || m.ctx.Err() != nil || m.next == len(m.cells) {
		return 0, false
	}
	m.next++
	return m.next - 1, true
}

// put files a cell. Of several errors the one in the first cell counts, so
// that it does not depend on who was faster.
func (m *matrix) put(n int, c Cell, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if n < m.failed {
			m.failed, m.err = n, err
		}
		return
	}
	m.cells[n] = c
	m.done++
	if m.progress != nil {
		m.progress(m.done, len(m.cells), c)
	}
}

// Faults says how many actions of what was found count against the budget.
func (r *Report) Faults(f *Found) int {
	faults := 0
	for _, a := range f.Schedule {
		if r.Bounds.isFault(a.Verb) {
			faults++
		}
	}
	return faults
}
