package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// foundOut is what a position's lookup gave. It is of no use if its generation
// is no longer the model's.
type foundOut struct {
	generation int
	node       *node
	position   *scenarios.Position
	err        error
}

// spared says which moves of a schedule that reached its goal could be left
// out.
type spared struct {
	goal  *node
	moves []int
}

// takeOver lets the learner pick what happens next in the run that is shown,
// from the cursor on. Taken over once more, elsewhere, it is the same game.
func (m *model) takeOver() tea.Cmd {
	m.player.pause()
	if m.game == nil || m.game.source != m.run {
		h := m.run.History
		var found []history.Violation
		for _, f := range m.run.Found {
			found = append(found, f.Violation)
		}
		m.game = newGame(h.Config, nil, h.Schedule, found)
		m.game.source = m.run
	}
	g := m.game
	at := g.root
	if picks := picksTo(m.run, m.player.at); picks > 0 {
		at = g.plant(m.run.History.Schedule[:picks], byStory)
	}
	return m.enterGame(at)
}

// picksTo is how many actions of a run's schedule lead to the end of a row.
// Several rows may come of one action: it is played to its end.
func picksTo(r *render.Run, at int) int {
	switch to := r.Rows[at].To; {
	case at == len(r.Rows)-1:
		return len(r.History.Schedule) // with actions that led to no event
	case to > 0:
		return r.History.Events[to-1].Pick + 1
	}
	return 0
}

// enterGame shows the game at a node. esc leads back to what is shown now.
func (m *model) enterGame(at *node) tea.Cmd {
	m.game.before = beforeTheGame{m.screen, m.run, m.player, m.card, m.violation, m.pane}
	m.screen, m.pane, m.card, m.failed, m.scroll = gameScreen, movesPane, false, nil, 0
	if m.game.at == nil {
		m.run = nil // not that of another game
	}
	m.lock, _ = strategies.Find(m.game.config.Strategy)
	return m.visit(at)
}

// leaveGame shows what was there before. The game is kept.
func (m *model) leaveGame() {
	b := m.game.before
	m.generation++ // a position that is being looked up is no longer wanted
	m.game.busy = false
	m.screen, m.run, m.player, m.card, m.violation, m.pane = b.screen, b.run, b.player, b.card, b.violation, b.pane
	m.failed = nil
}

// visit goes to a node. A position that is not known is looked up meanwhile.
func (m *model) visit(n *node) tea.Cmd {
	g := m.game
	m.generation++
	if n.position != nil {
		m.showNode(n)
		return nil
	}
	g.busy = true
	generation, config, schedule, level := m.generation, g.config, n.schedule(), g.level
	return m.background.do(func(ctx context.Context) tea.Msg {
		p, err := scenarios.Look(ctx, config, schedule, level)
		return foundOut{generation, n, p, err}
	})
}

func (m *model) positionIsKnown(msg foundOut) tea.Cmd {
	if msg.generation != m.generation {
		return nil
	}
	if m.failed = msg.err; m.failed != nil {
		return nil
	}
	msg.node.position, msg.node.found = msg.position, msg.position.Violations
	m.showNode(msg.node)
	return m.score(msg.node)
}

// showNode shows a position, with the card of what its last action broke. In a
// level only the goal is worth covering the moves; the rest stands in the status.
// Nothing covers the tree for those who look at it.
func (m *model) showNode(n *node) {
	g := m.game
	g.arrive(n)
	m.run = newRun(n.position.Result)
	m.player = newPlayer(len(m.run.Rows), len(m.run.Rows)-1)
	fresh := n.fresh()
	mayCover := m.pane != branchesPane
	m.card, m.scroll = len(fresh) > 0 && g.level == nil && mayCover, 0
	m.violation = max(0, len(n.found)-1) // for the card, should it be asked for
	for i, f := range fresh {
		goal := g.level != nil && n.found[f].Invariant == g.level.Goal
		if i == 0 || goal {
			m.violation = f
		}
		m.card = m.card || goal && mayCover
	}
}

// pick performs the chosen move; where the moves are covered, it uncovers them.
func (m *model) pick() tea.Cmd {
	if m.card || !m.showsMoves() {
		m.card, m.pane = false, movesPane
		return nil
	}
	move := m.game.choice()
	if move == nil {
		return nil
	}
	n := m.game.at.child(move.Action, byLearner)
	n.words = m.moveText(*move)
	return m.visit(n)
}

// undo goes one move back; what came after stays where it is.
func (m *model) undo() tea.Cmd {
	if p := m.game.at.parent; p != nil {
		return m.visit(p)
	}
	return nil
}

// redo goes one move on along the present branch.
func (m *model) redo() tea.Cmd {
	if n := m.game.next(); n != nil {
		return m.visit(n)
	}
	return nil
}

// toBranch goes to the end of the branch after the present one or before it.
// The branch is the present one on arrival, not while its end is looked up.
func (m *model) toBranch(by int) tea.Cmd {
	list := m.game.branches()
	return m.visit(list[(m.game.branchAt(list)+by+len(list))%len(list)].tip)
}

// chooseViolation shows the card of the next violation of the run, or of the
// one before.
func (m *model) chooseViolation(by int) {
	if !m.card {
		by = 0
	}
	choice := menu{m.violation, len(m.run.Found)}
	choice.move(by)
	m.card, m.violation, m.scroll = true, choice.at, 0
}
