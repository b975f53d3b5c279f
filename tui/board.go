package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A board is the state of the matrix screen.
type board struct {
	source   *Matrix // nil if there is no matrix
	messages <-chan tea.Msg
	cells    []*Cell // lock by lock; nil is not computed
	done     int
	ended    bool
	err      error

	lock, hazard menu // the cursor
	chosen       int  // which of the cell's broken invariants
	whole        bool // the cell's detail covers the screen
}

func newBoard(source *Matrix) board {
	if source == nil {
		return board{}
	}
	return board{
		source: source, cells: make([]*Cell, len(source.Locks)*len(source.Hazards)),
		lock: menu{0, len(source.Locks)}, hazard: menu{0, len(source.Hazards)},
	}
}

// here returns the cell at the cursor; nil if it is not computed.
func (b *board) here() *Cell { return b.cells[b.at()] }

func (b *board) at() int { return b.lock.at*b.hazard.n + b.hazard.at }

// found returns the chosen one of what was found in the cell at the cursor.
func (b *board) found() (f Found, ok bool) {
	if c := b.here(); c != nil && b.chosen < len(c.Found) {
		return c.Found[b.chosen], true
	}
	return Found{}, false
}

// move moves the cursor, and chooses the first of what was found there.
func (b *board) move(locks, hazards int) {
	before := b.at()
	b.lock.move(locks)
	b.hazard.move(hazards)
	if b.at() != before {
		b.chosen = 0
	}
}

// choose goes to the next broken invariant of the cell, or to the one before.
func (b *board) choose(by int) {
	choice := menu{b.chosen, len(b.here().Found)}
	choice.move(by)
	b.chosen = choice.at
}

// verdicts are the cells as the table has them. Being computed is the first
// cell that is not done of each lock that has such, as many as there are jobs.
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
			out[i].Verdict = c.Verdict
			if len(c.Found) > 0 {
				out[i].Code = c.Found[0].Code
			}
		}
	}
	return out
}

// next waits for the next message of the computation.
func (b *board) next() tea.Cmd {
	messages := b.messages
	return func() tea.Msg { return <-messages } // nil once it is closed
}

// openMatrix shows the matrix. The first time, its cells begin to be computed;
// they go on while another screen is open.
func (m *model) openMatrix() tea.Cmd {
	m.screen, m.scroll = matrixScreen, 0
	b := &m.board
	if b.messages != nil {
		return nil
	}
	b.messages = m.background.compute(b.source)
	return b.next()
}

// cellIsDone files a cell. One that the matrix has no place for is dropped.
func (m *model) cellIsDone(msg cellDone) tea.Cmd {
	b := &m.board
	lock, hazard := slices.Index(b.source.Locks, msg.cell.Lock), slices.Index(b.source.Hazards, msg.cell.Hazard)
	if lock >= 0 && hazard >= 0 {
		at := lock*b.hazard.n + hazard
		if b.cells[at] == nil {
			b.done++
		}
		b.cells[at] = &msg.cell
	}
	return b.next()
}

func (m *model) matrixIsDone(msg matrixDone) { m.board.ended, m.board.err = true, msg.err }

// openCell opens the run that breaks the chosen invariant. A cell in which
// nothing was found shows its detail, with what was proven.
func (m *model) openCell() tea.Cmd {
	f, ok := m.board.found()
	if !ok {
		m.board.whole, m.scroll = true, 0
		return nil
	}
	c := m.board.here()
	m.lock, _ = strategies.Find(c.Lock)
	facts := prose.TextFacts{Invariant: f.Violation.Invariant, Hazard: c.Hazard, N: len(f.Schedule)}
	generation := m.showPlayer(matrixScreen, m.book.Fill("found_story", facts), 0)
	caption := map[string]string{m.lang: m.book.Fill("found_caption", facts)}
	ctx, title, config := m.background.ctx, m.title, c.Config
	return func() tea.Msg {
		story, result, err := counterexample(ctx, title, config, f)
		if err == nil {
			story.Steps[0].Captions = caption
		}
		return newStoryRun(generation, story, result, err)
	}
}

// counterexample runs what the explorer has found as a story. A run in which
// nothing of the kind happens is an error: it must not pass for one.
func counterexample(ctx context.Context, title string, config history.Config, f Found) (*scenarios.Story, *scenarios.Result, error) {
	story, err := scenarios.FromSchedule(ctx, title, config, f.Schedule)
	if err != nil {
		return nil, nil, err
	}
	result, err := scenarios.Run(ctx, story)
	if err != nil {
		return nil, nil, err
	}
	broken := func(v history.Violation) bool { return v.Invariant == f.Violation.Invariant }
	if !slices.ContainsFunc(result.Violations, broken) {
		return nil, nil, fmt.Errorf("the schedule does not violate %s: %s", f.Violation.Invariant, history.Token(config, f.Schedule))
	}
	return story, result, nil
}
