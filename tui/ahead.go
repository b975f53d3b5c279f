package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// maxAhead is how many keys may wait, as many as a terminal keeps by itself.
const maxAhead = 4096

// typeAhead puts keys behind those that still wait for what they are meant for:
// what a key does must not depend on how fast the machine is. Only what ends or
// stops the program overtakes them.
func (m *model) typeAhead(msg tea.KeyMsg) tea.Cmd {
	if key.Matches(msg, m.keys.Interrupt, m.keys.Suspend) {
		return m.press(msg)
	}
	if m.screen == matrixScreen {
		m.ahead = nil // a cell may take long: another key takes the place of one that waits for it
	}
	if m.ahead = append(m.ahead, keysOf(msg)...); len(m.ahead) > maxAhead {
		m.ahead = m.ahead[:maxAhead]
	}
	return nil
}

// keysOf takes apart what a slow line delivers at once: several keys that were
// pressed in a row come as one message.
func keysOf(msg tea.KeyMsg) []tea.KeyMsg {
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || msg.Paste {
		return []tea.KeyMsg{msg}
	}
	var keys []tea.KeyMsg
	for _, r := range msg.Runes {
		keys = append(keys, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt})
	}
	return keys
}

// pressAhead presses the keys whose time has come.
func (m *model) pressAhead() tea.Cmd {
	var cmds []tea.Cmd
	for len(m.ahead) > 0 && !m.waits(m.ahead[0]) {
		next := m.ahead[0]
		m.ahead = m.ahead[1:]
		cmds = append(cmds, m.press(next))
		m.settleDown()
		cmds = append(cmds, m.keepProgress())
	}
	return tea.Batch(cmds...)
}

// waits says whether a key is meant for something that is still to come. Who
// waits for a screen may leave it, but a position of a game that is shown is
// not what the next key is for.
func (m *model) waits(msg tea.KeyMsg) bool {
	k, g := &m.keys, m.game
	nothing := !key.Matches(msg, k.Quit, k.Help, k.Back, k.Backward)
	switch {
	case m.covered:
	case m.screen == playerScreen:
		return m.run == nil && m.failed == nil && nothing
	case m.screen == compareScreen:
		return m.comparison.beat.n == 0 && m.comparison.err == nil && nothing
	case m.screen == gameScreen:
		return m.failed == nil && g.busy && (nothing || g.at != nil && !key.Matches(msg, k.Quit, k.Help))
	case m.screen == matrixScreen:
		return m.board.here() == nil && !m.board.ended && m.isForCell(msg)
	}
	return false
}

// isForCell says whether a key does something in the matrix only where the cell
// at the cursor is known.
func (m *model) isForCell(msg tea.KeyMsg) bool {
	k := &m.keys
	if key.Matches(msg, k.Left, k.Right) {
		return false
	}
	return slices.ContainsFunc([]key.Binding{k.Open, k.Compare, k.Next, k.Previous}, func(b key.Binding) bool {
		return slices.Contains(b.Keys(), msg.String())
	})
}
