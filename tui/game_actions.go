package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// hintsOfALevel is how many hints a level has.
const hintsOfALevel = 3

// gameActions is what the keys do where the learner picks what happens.
func (m *model) gameActions() []action {
	k := &m.keys
	return []action{
		{&k.Take, m.takeOver},
		{&k.Levels, func() tea.Cmd { m.screen, m.scroll = levelsScreen, 0; return nil }},
		{&k.Pick, m.pick},
		{&k.Undo, m.undo},
		{&k.Redo, m.redo},
		{&k.Root, func() tea.Cmd { return m.visit(m.game.root) }},
		{&k.Tip, func() tea.Cmd { return m.visit(m.game.tip) }},
		{&k.Branch, func() tea.Cmd { return m.toBranch(1) }},
		{&k.BranchBefore, func() tea.Cmd { return m.toBranch(-1) }},
		{&k.Hint, func() tea.Cmd { m.game.hints++; return nil }},
		{&k.GiveUp, m.giveUp},
	}
}

// enableGameKeys leaves on what does something in a game and around it.
func (m *model) enableGameKeys() {
	k, g := &m.keys, m.game
	k.Take.SetEnabled(m.screen == playerScreen && m.run != nil && !m.covered)
	k.Levels.SetEnabled(m.screen == locksScreen && !m.covered)
	choosing := m.screen == levelsScreen && !m.covered
	if choosing {
		for _, b := range []*key.Binding{&k.Up, &k.Down, &k.First, &k.Last} {
			b.SetEnabled(true)
		}
		k.Open.SetEnabled(m.levels.menu.n > 0)
	}
	here := m.playsNow()
	for _, b := range []*key.Binding{&k.Pick, &k.Undo, &k.Redo, &k.Root, &k.Tip, &k.Branch, &k.BranchBefore, &k.Hint, &k.GiveUp} {
		b.SetEnabled(here)
	}
	if !here {
		return
	}
	k.Up.SetEnabled(true)
	k.Down.SetEnabled(true)
	does := "does_pick"
	if m.card || !m.showsMoves() {
		does = "does_moves"
	}
	k.Pick.SetHelp(k.Pick.Help().Key, m.book.Text(does))
	k.Pick.SetEnabled(m.card || !m.showsMoves() || g.choice() != nil)
	k.Undo.SetEnabled(g.at.parent != nil)
	k.Redo.SetEnabled(g.next() != nil)
	several := len(g.root.children) > 0 && len(g.branches()) > 1
	k.Branch.SetEnabled(several)
	k.BranchBefore.SetEnabled(several)
	k.Pane.SetEnabled(!m.card)
	found := len(m.run.Found) > 0
	for _, b := range []*key.Binding{&k.Next, &k.Previous, &k.Card} {
		b.SetEnabled(found)
	}
	k.Hint.SetEnabled(g.level != nil && g.hints < hintsOfALevel && !g.gaveUp)
	k.GiveUp.SetEnabled(g.level != nil && !g.gaveUp && m.levels.search != nil)
}

// playsNow says whether a position is shown from which the learner picks.
func (m *model) playsNow() bool {
	return m.screen == gameScreen && !m.covered && m.game.at != nil && !m.game.busy && m.failed == nil
}

// showsRun says whether a run and its cards are on the screen.
func (m *model) showsRun() bool { return m.screen == playerScreen || m.screen == gameScreen }

// showsMoves says whether the moves are to be seen, but for a card. A wide
// terminal has the last two panes beside them.
func (m *model) showsMoves() bool {
	return m.pane != sourcePane && m.pane != branchesPane && (m.pane == movesPane || !m.isNarrow())
}

// gameScrolls says whether up and down are for a text in place of the moves.
func (m *model) gameScrolls() bool {
	return m.screen == gameScreen && (m.card || m.failed != nil || m.game.at == nil)
}
