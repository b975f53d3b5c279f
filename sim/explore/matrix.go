package explore

import (
	"context"
	"sync"

	"lockstep/internal/lang"
	"lockstep/internal/parallel"
)

// A Cell is the report on one lock under one hazard.
type Cell struct {
	Lock string
	Report
	// Allowed is the reason, for each invariant that the lock's contract does
	// not promise.
	Allowed map[string]lang.Word
}

// Worst is Report.Worst among the counterexamples that the contract excludes; nil
// if there is none.
func (c *Cell) Worst() *Found {
	return c.worst(func(f *Found) bool { return c.Allowed[f.Violation.Invariant] == "" })
}

// Matrix explores every lock under every hazard. Each of jobs workers explores
// one lock after the other. What it learns about a lock serves all hazards with
// the same configuration. The cells are ordered by lock. ask returns the question of a
// cell, of which Memory is for all workers together. Cells that are on the shelf, if it is
// not nil, are not explored.
// progress, if not nil, is called after each cell with the number of finished cells;
// calls never overlap. Locks start in order, and so do the cells of each.
//
// The first error ends the exploration. The end of ctx cuts short the running
// cells, and the limit of all others is interrupt.
func Matrix(ctx context.Context, locks []Lock, hazards []Hazard, ask Asking, jobs int, shelf Shelf, progress func(done, total int, c Cell)) ([]Cell, error) {
	m := &matrix{
		ctx: ctx, locks: locks, hazards: hazards, ask: ask, shelf: shelf,
		progress: progress, cells: make([]Cell, len(locks)*len(hazards)),
	}
	m.failed = len(m.cells)
	m.jobs = max(1, min(jobs, len(locks)))
	parallel.Do(m.jobs, len(locks), m.row)
	if m.err != nil {
		return nil, m.err
	}
	for n := range m.cells {
		if c := &m.cells[n]; c.Lock == "" { // ctx has ended
			q := m.question(locks[n/len(hazards)], hazards[n%len(hazards)])
			*c = Cell{Lock: q.Lock.ID, Report: q.Unanswered(Interrupt)}
		}
	}
	return m.cells, nil
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

// question is that of a cell, for one worker.
func (m *matrix) question(lock Lock, h Hazard) Question {
	q := m.ask(lock, h)
	q.Hazard.Bounds.Memory = (q.Hazard.Bounds.Memory + m.jobs - 1) / m.jobs
	return q
}

// A matrix is the state of Matrix.
type matrix struct {
	ctx      context.Context
	locks    []Lock
	hazards  []Hazard
	ask      Asking
	jobs     int
	shelf    Shelf
	progress func(done, total int, c Cell)

	mu     sync.Mutex
	done   int // cells
	failed int // the first cell with an error
	err    error
	cells  []Cell
}

// row explores one lock under every hazard.
func (m *matrix) row(n int) {
	r := NewRow(m.ctx, m.locks[n])
	defer r.Close()
	for i := range m.hazards {
		if !m.goesOn() {
			return
		}
		c, err := m.compute(r, m.hazards[i])
		m.put(n*len(m.hazards)+i, c, err)
	}
}

// compute explores one cell. It returns a panic as an error: in a worker's
// goroutine it would end the program without restoring the terminal.
func (m *matrix) compute(row *Row, h Hazard) (c Cell, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = lang.Errorf("panic: %v", p)
		}
		if err != nil {
			err = lang.Errorf("%s, %s: %w", row.lock.ID, h.ID, err)
		}
	}()
	q := m.question(row.lock, h)
	r, err := row.Answer(row.ctx, m.shelf, q, Options{})
	return Cell{Lock: row.lock.ID, Report: r}, err
}

func (m *matrix) goesOn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err == nil && m.ctx.Err() == nil
}

// put records a cell. The error of the first cell counts, so that it does not
// depend on timing.
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
