package tui

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A Matrix is where the cells of the matrix screen come from. The walkthrough
// shows them and does not know how they are computed.
type Matrix struct {
	Locks, Hazards []string // the rows and columns, by id
	// Jobs is how many locks are under way at a time, in their order, each cell
	// by cell.
	Jobs int
	// Compute reports each cell as soon as it is known, never two at a time. It
	// returns when all are, at the first error, or soon after ctx is done.
	Compute func(ctx context.Context, report func(Cell)) error
}

// A Verdict is what a cell says, or what it is before it says anything.
type Verdict = render.Verdict

// A Cell is what became of one lock under one hazard.
type Cell struct {
	Lock, Hazard        string
	Verdict             Verdict
	Reason              string  // of a verdict that is neither VIOLATED nor HOLDS
	Limit               string  // what cut the search short; "" if nothing did
	Found               []Found // the gravest first
	States, Transitions int
	Assumptions         string         // the bounds, in one line
	Config              history.Config // of the world that Found's schedules are for
}

// A Found is one broken invariant of a cell, and a run that breaks it.
type Found struct {
	Code      string // "ME 7"; with faults "LR 3/1"
	Violation history.Violation
	Schedule  history.Schedule
	Faults    int
	Shortest  bool // no schedule has fewer faults, or as many and fewer steps
}

// cellDone is a cell that was computed.
type cellDone struct{ cell Cell }

// matrixDone is the end of the work, with the error that ended it, if one did.
type matrixDone struct{ err error }

// background is the work that goes on while the program does other things.
type background struct {
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup
}

func newBackground(ctx context.Context) *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancel(ctx)
	return b
}

// compute begins to compute a matrix. Its messages come through the channel,
// which is closed in the end. Nobody has to read them all.
func (b *background) compute(source *Matrix) <-chan tea.Msg {
	messages := make(chan tea.Msg)
	send := func(msg tea.Msg) {
		select {
		case messages <- msg:
		case <-b.ctx.Done():
		}
	}
	b.work.Go(func() {
		defer close(messages)
		send(guard(func() tea.Msg {
			return matrixDone{source.Compute(b.ctx, func(c Cell) { send(cellDone{c}) })}
		})())
	})
	return messages
}

// do begins a piece of work and returns the command that waits for its
// message. The work need not be waited for: end does that.
func (b *background) do(work func(ctx context.Context) tea.Msg) tea.Cmd {
	done := make(chan tea.Msg, 1)
	b.work.Go(func() { done <- guard(func() tea.Msg { return work(b.ctx) })() })
	return func() tea.Msg {
		select {
		case msg := <-done:
			return msg
		case <-b.ctx.Done():
			return nil
		}
	}
}

// end stops the work and returns when it has stopped.
func (b *background) end() {
	b.stop()
	b.work.Wait()
}
