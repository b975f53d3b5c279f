package pages

import (
	"cmp"
	"slices"

	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A board is the matrix as far as it is computed, with its cursor. It outlives the
// pages that show it.
type board struct {
	source   *Matrix
	messages <-chan any        // what they do to it
	cells    []*explore.Report // lock by lock; nil is not computed
	done     int
	ended    bool
	err      error

	lock, hazard menu // the cursor
	chosen       int  // which of the cell's broken invariants
}

// newBoard returns the board of a matrix; nil without a matrix.
func newBoard(source *Matrix) *board {
	if source == nil {
		return nil
	}
	b := &board{
		source: source, cells: make([]*explore.Report, len(source.Locks)*len(source.Hazards)),
		lock: menu{0, len(source.Locks)}, hazard: menu{0, len(source.Hazards)}, ended: source.Compute == nil,
	}
	for _, c := range source.Known {
		b.file(c)
	}
	return b
}

// show moves the cursor to the first violation in a cell that is not allowed.
func (b *board) show(c *explore.Report) {
	b.lock.at, b.hazard.at = max(0, slices.Index(b.source.Locks, c.Config.Strategy)), max(0, slices.Index(b.source.Hazards, c.Hazard))
	b.chooseWorst()
}

// chooseWorst chooses the violation that the cell at the cursor is named after.
func (b *board) chooseWorst() {
	b.chosen = 0
	if c := b.here(); c != nil {
		_, b.chosen = verdictOf(c)
	}
}

// moveTo moves the cursor to a cell; "" leaves it where it is. It reports whether there is
// such a cell.
func (b *board) moveTo(lock, hazard string) bool {
	at := b.place("")
	row, column := slices.Index(b.source.Locks, cmp.Or(lock, at.Name)), slices.Index(b.source.Hazards, cmp.Or(hazard, at.Part))
	if row < 0 || column < 0 {
		return false
	}
	b.move(row-b.lock.at, column-b.hazard.at)
	return true
}

func (b *board) place(kind string) Place {
	return Place{Kind: kind, Name: b.source.Locks[b.lock.at], Part: b.source.Hazards[b.hazard.at]}
}

// here returns the cell at the cursor; nil if it is not computed.
func (b *board) here() *explore.Report { return b.cells[b.at()] }

func (b *board) at() int { return b.lock.at*b.hazard.n + b.hazard.at }

// found returns the chosen violation of the cell at the cursor; nil if there is none.
func (b *board) found() *explore.Found {
	if c := b.here(); c != nil && b.chosen < len(c.Found) {
		return &c.Found[b.chosen]
	}
	return nil
}

// move moves the cursor and chooses the worst violation there.
func (b *board) move(locks, hazards int) {
	before := b.at()
	b.lock.move(locks)
	b.hazard.move(hazards)
	if b.at() != before {
		b.chooseWorst()
	}
}

// choose selects the next or previous violation of the cell.
func (b *board) choose(by int) {
	choice := menu{b.chosen, len(b.here().Found)}
	choice.move(by)
	b.chosen = choice.at
}

// verdicts returns the cells for the table. For each lock under way, the first cell
// that is not done counts as being computed, for as many locks as there are jobs.
func (b *board) verdicts() []render.Cell {
	out := make([]render.Cell, len(b.cells))
	working, busy := b.source.Jobs, -1
	for i, c := range b.cells {
		lock := i / len(b.source.Hazards)
		switch {
		case c == nil && lock != busy && working > 0 && b.messages != nil && !b.ended:
			out[i].Verdict = render.Working
			working, busy = working-1, lock
		case c != nil:
			verdict, worst := verdictOf(c)
			out[i].Verdict = verdict
			if len(c.Found) > 0 {
				out[i].Harm = history.HarmOf(c.Found[worst].Violation.Invariant)
			}
		}
	}
	return out
}

// begin starts to compute the cells, once. They continue while another page is open.
func (b *board) begin(s *Shell) Cmd {
	if b.messages != nil || b.source.Compute == nil {
		return nil
	}
	b.messages = s.background.compute(b)
	return b.next(s)
}

// again computes all cells anew.
func (b *board) again() act {
	b.source.Made, b.source.Compute, b.source.Again = "", b.source.Again, nil
	b.messages, b.done, b.ended, b.err = nil, 0, false, nil
	clear(b.cells)
	return b.begin
}

// compute starts to compute the matrix of a board. What is to be done to that comes through
// the channel, which is closed at the end. The receiver may stop early.
func (b *background) compute(to *board) <-chan any {
	messages, source := make(chan any), to.source
	send := func(msg any) {
		select {
		case messages <- msg:
		case <-b.ctx.Done():
		}
	}
	b.work.Go(func() {
		defer close(messages)
		send(guard(func() any {
			err := source.Compute(b.ctx, func(c ...explore.Report) { send(to.filed(c)) })
			return act(func(*Shell) Cmd {
				to.ended, to.err = true, err
				return nil
			})
		})())
	})
	return messages
}

// next waits for the next message of the computation.
func (b *board) next(*Shell) Cmd {
	messages := b.messages
	return func() any {
		return <-messages
	}
}

// filed stores cells, and waits for more.
func (b *board) filed(cells []explore.Report) act {
	return func(s *Shell) Cmd {
		for _, c := range cells {
			b.file(c)
		}
		return b.next(s)
	}
}

// file stores a cell. It drops a cell that has no place in the matrix.
func (b *board) file(c explore.Report) {
	lock, hazard := slices.Index(b.source.Locks, c.Config.Strategy), slices.Index(b.source.Hazards, c.Hazard)
	if lock < 0 || hazard < 0 {
		return
	}
	at := lock*b.hazard.n + hazard
	if b.cells[at] == nil {
		b.done++
	}
	b.cells[at] = &c
	if at == b.at() {
		b.chooseWorst()
	}
}
