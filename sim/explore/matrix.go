package explore

import (
	"context"
	"sync"

	"lockstep/internal/lang"
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
// the same configuration. The cells are ordered by lock. Of limits only States,
// Unbroken, Depth, Memory and Exact count, Memory for all workers together; the rest
// is the hazard's. Cells that are on the shelf, if it is not nil, are not explored.
// progress, if not nil, is called after each cell with the number of finished cells;
// calls never overlap. Locks start in order, and so do the cells of each.
//
// The first error ends the exploration. The end of ctx cuts short the running
// cells, and the limit of all others is interrupt.
func Matrix(ctx context.Context, locks []Lock, hazards []Hazard, clients []string, limits Bounds, jobs int, shelf Shelf, progress func(done, total int, c Cell)) ([]Cell, error) {
	m := &matrix{
		ctx: ctx, locks: locks, hazards: hazards, clients: clients, limits: limits, shelf: shelf,
		progress: progress, cells: make([]Cell, len(locks)*len(hazards)),
	}
	m.failed = len(m.cells)
	var workers sync.WaitGroup
	jobs = min(max(1, jobs), len(locks))
	m.limits.Memory = (limits.Memory + jobs - 1) / max(1, jobs)
	for range jobs {
		workers.Go(m.work)
	}
	workers.Wait()
	if m.err != nil {
		return nil, m.err
	}
	for n := range m.cells {
		if c := &m.cells[n]; c.Lock == "" { // ctx has ended
			lock := locks[n/len(hazards)]
			h := hazards[n%len(hazards)].On(lock.Subject)
			*c = Cell{Lock: lock.ID, Report: Report{Hazard: h.ID, Config: h.Config(lock, clients...), Bounds: h.Bounds, Limit: "interrupt"}}
		}
	}
	return m.cells, nil
}

// A matrix is the state of Matrix.
type matrix struct {
	ctx      context.Context
	locks    []Lock
	hazards  []Hazard
	clients  []string
	limits   Bounds
	shelf    Shelf
	progress func(done, total int, c Cell)

	mu     sync.Mutex
	next   int // lock
	done   int // cells
	failed int // the first cell with an error
	err    error
	cells  []Cell
}

func (m *matrix) work() {
	for {
		m.mu.Lock()
		n := m.next
		m.next++
		m.mu.Unlock()
		if n >= len(m.locks) {
			return
		}
		m.row(n)
	}
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
		if i == len(m.hazards)-1 && err == nil && m.shelf == nil {
			err = r.verify()
		}
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
	h = h.On(row.lock.Subject)
	h.Bounds.States, h.Bounds.Unbroken = m.limits.States, m.limits.Unbroken
	h.Bounds.Depth, h.Bounds.Memory, h.Bounds.Exact = m.limits.Depth, m.limits.Memory, m.limits.Exact
	// What goes on the shelf is verified before; otherwise the row is, at its end.
	o := Options{trusted: m.shelf == nil}
	r, err := row.Answer(row.ctx, m.shelf, h, h.Config(row.lock, m.clients...), o)
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
