package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/sim/history"
)

// levels is the state of the list of levels.
type levels struct {
	list   []scenarios.Level
	broken error // they could not be read
	menu   menu
	search *Explorer // nil: nobody knows what is shortest
	proofs map[string]*proving
}

// proving is the search for a level's shortest schedule: under way until it
// has a proof or an error.
type proving struct {
	proof *Proof
	err   error
}

// searched is what a search came to.
type searched struct {
	level string
	proof Proof
	err   error
}

func newLevels(search *Explorer) levels {
	l := levels{search: search, proofs: map[string]*proving{}}
	l.list, l.broken = scenarios.Levels()
	l.menu.n = len(l.list)
	return l
}

// openLevel shows a level, where it was left if it is open. The search for the
// shortest begins, so that it is known when it is asked for.
func (m *model) openLevel() tea.Cmd {
	l := &m.levels
	if l.menu.at >= len(l.list) {
		return nil
	}
	level := &l.list[l.menu.at]
	if m.game == nil || m.game.level != level {
		m.game = newGame(level.Config, level, nil, nil)
	}
	at := m.game.at
	if at == nil {
		at = m.game.root
	}
	entered, proving := m.enterGame(at), m.prove(level)
	if m.game.gaveUp && !m.game.shown { // the explorer may have found it meanwhile
		return tea.Batch(entered, proving, m.showShortest())
	}
	return tea.Batch(entered, proving)
}

// prove searches for the shortest schedule of a level, once.
func (m *model) prove(level *scenarios.Level) tea.Cmd {
	l := &m.levels
	if l.search == nil || l.proofs[level.ID] != nil {
		return nil
	}
	l.proofs[level.ID] = &proving{}
	search := l.search
	return m.background.do(func(ctx context.Context) tea.Msg {
		p, err := search.Shortest(ctx, level)
		return searched{level.ID, p, err}
	})
}

func (m *model) isSearched(msg searched) tea.Cmd {
	p := m.levels.proofs[msg.level]
	if p == nil {
		return nil
	}
	if p.err = msg.err; p.err == nil {
		p.proof = &msg.proof
	}
	if m.screen == gameScreen && m.game.gaveUp && m.game.level.ID == msg.level {
		return m.showShortest()
	}
	return nil
}

// proof returns what is known of the present level; nil if nothing is yet.
func (m *model) proof() *Proof {
	if m.game == nil || m.game.level == nil {
		return nil
	}
	if p := m.levels.proofs[m.game.level.ID]; p != nil {
		return p.proof
	}
	return nil
}

// score notes that the learner has reached the goal with this move, and asks
// which moves were needed. What the explorer shows is no merit.
func (m *model) score(n *node) tea.Cmd {
	g := m.game
	if g.level == nil || n.parent == nil || n.origin != byLearner || !n.breaks(g.level.Goal) || n.parent.breaks(g.level.Goal) {
		return nil
	}
	g.goal, g.spare = n, nil
	faults, _ := g.level.Spent(n.schedule())
	kept := m.keepRecord(record{Moves: n.depth, Faults: faults, GaveUp: g.gaveUp})
	config, schedule, goal := g.config, n.schedule(), g.level.Goal
	return tea.Batch(kept, m.background.do(func(ctx context.Context) tea.Msg {
		moves, err := scenarios.Superfluous(ctx, config, schedule, goal)
		if err != nil {
			return nil // the program ends
		}
		return spared{n, moves}
	}))
}

// keepRecord notes a result of the present level.
func (m *model) keepRecord(r record) tea.Cmd {
	return m.note(progress{Levels: map[string]record{m.game.level.ID: r}})
}

func (m *model) isSpared(msg spared) {
	if m.game == nil || m.game.goal != msg.goal {
		return
	}
	m.game.spare = map[int]bool{}
	for _, i := range msg.moves {
		m.game.spare[i] = true
	}
}

// giveUp shows the shortest schedule from its beginning, or the proof that
// there is none, as soon as the explorer is done.
func (m *model) giveUp() tea.Cmd {
	m.game.gaveUp = true
	return tea.Batch(m.keepRecord(record{GaveUp: true}), m.showShortest())
}

// showShortest goes to the start of the explorer's branch.
func (m *model) showShortest() tea.Cmd {
	p, g := m.proof(), m.game
	if p == nil || p.Schedule == nil {
		return nil
	}
	g.shown = true
	tip := g.plant(p.Schedule, byExplorer)
	if tip.position == nil && len(tip.found) == 0 {
		tip.found = []history.Violation{{Invariant: g.level.Goal}}
	}
	g.tip = tip
	return m.visit(g.root)
}
