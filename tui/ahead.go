package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// maxAhead is how many keys may wait, as many as a terminal keeps by itself.
const maxAhead = 4096

// typeAhead puts keys behind those that still wait for what they are meant for:
// what a key does must not depend on how fast the machine is. Only what ends or
// stops the program overtakes them.
func (s *shell) typeAhead(msg tea.KeyMsg) tea.Cmd {
	if overtakes(msg.String()) {
		return s.press(msg)
	}
	if len(s.ahead) > 0 && s.waits(s.ahead[0]) == untilAnother {
		s.ahead = nil
	}
	if s.ahead = append(s.ahead, keysOf(msg)...); len(s.ahead) > maxAhead {
		s.ahead = s.ahead[:maxAhead]
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
func (s *shell) pressAhead() tea.Cmd {
	var cmds []tea.Cmd
	for len(s.ahead) > 0 && s.waits(s.ahead[0]) == atOnce {
		next := s.ahead[0]
		s.ahead = s.ahead[1:]
		cmds = append(cmds, s.press(next), s.settle())
	}
	s.keyWaits = len(s.ahead) > 0
	return tea.Batch(cmds...)
}

// waits says how long a key waits for what the page has still to show. Nobody
// has to wait for the help, for another language, or for the end.
func (s *shell) waits(msg tea.KeyMsg) patience {
	p, ok := s.page().(waiter)
	if name := msg.String(); ok && !helpKey.is(name) && !languageKey.is(name) && !quitKey.is(name) {
		return p.waits(name)
	}
	return atOnce
}
