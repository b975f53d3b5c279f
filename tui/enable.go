package tui

import "github.com/charmbracelet/bubbles/key"

// enableKeys leaves on what does something here.
func (m *model) enableKeys() {
	k := &m.keys
	playing := m.screen == playerScreen && m.run != nil && !m.covered
	choosing := !m.covered && (m.screen == locksScreen || m.screen == storiesScreen)
	for _, b := range []*key.Binding{&k.Step, &k.StepBack, &k.Play} {
		b.SetEnabled(playing)
	}
	k.Faster.SetEnabled(playing && !m.still)
	k.Slower.SetEnabled(playing && !m.still)
	k.Next.SetEnabled(playing && len(m.run.Found) > 0)
	k.Previous.SetEnabled(playing && len(m.run.Found) > 0)
	k.Card.SetEnabled(playing && m.hasCard())
	k.Pane.SetEnabled(playing && !m.isTall() && !m.card)
	k.Open.SetEnabled(choosing)
	k.Search.SetEnabled(!m.covered && (choosing || m.screen == courseScreen))
	k.Matrix.SetEnabled(!m.covered && m.screen == locksScreen && m.board.source != nil)
	scrolls := m.covered || m.screen == lockScreen || playing && m.card
	k.Up.SetEnabled(choosing || scrolls)
	k.Down.SetEnabled(choosing || scrolls)
	k.First.SetEnabled(playing || choosing || scrolls)
	k.Last.SetEnabled(playing || choosing || scrolls)
	k.Back.SetEnabled(m.covered || m.screen != locksScreen || m.card)
	_, _, replayable := m.replayable()
	k.Copy.SetEnabled(!m.covered && replayable)
	m.enableMatrixKeys()
	m.enableGameKeys()
	m.enableCompareKeys()
	m.enableCourse()
	m.enableAnswers()
	m.enableJumps()
}

// enableMatrixKeys leaves on what does something in the matrix, or nothing of
// it on another screen.
func (m *model) enableMatrixKeys() {
	k, b := &m.keys, &m.board
	here := m.screen == matrixScreen && !m.covered
	k.Left.SetEnabled(here && !b.whole)
	k.Right.SetEnabled(here && !b.whole)
	if !here {
		return
	}
	found := 0
	if c := b.here(); c != nil {
		found = len(c.Found)
	}
	for _, key := range []*key.Binding{&k.Up, &k.Down, &k.First, &k.Last, &k.Card} {
		key.SetEnabled(true)
	}
	k.Next.SetEnabled(found > 1)
	k.Previous.SetEnabled(found > 1)
	k.Open.SetEnabled(found > 0 || b.here() != nil && !b.whole)
}
