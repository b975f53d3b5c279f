package tui

import tea "github.com/charmbracelet/bubbletea"

// click presses what a press of the mouse stands for: the key of what is under it,
// or of the wheel. A page need not know of it.
func (s *shell) click(msg tea.MouseMsg) tea.Cmd {
	if msg.Action != tea.MouseActionPress {
		return nil
	}
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		return s.wheel(upKey.does, stepBackKey.does)
	case tea.MouseButtonWheelDown:
		return s.wheel(downKey.does, stepKey.does)
	case tea.MouseButtonLeft:
		if msg.Y < 0 || msg.Y >= len(s.zones) {
			return nil
		}
		for _, z := range s.zones[msg.Y] {
			if msg.X >= z.From && msg.X < z.To {
				return s.pressTimes(z.Key, z.Times)
			}
		}
	}
	return nil
}

// wheel presses the key that scrolls or selects, or else the one that steps.
func (s *shell) wheel(what ...string) tea.Cmd {
	for _, does := range what {
		for _, k := range s.keys() {
			if k.does == does && !k.off {
				return s.pressTimes(k.on[0], 1)
			}
		}
	}
	return nil
}

// pressTimes presses a key as if it were typed. What comes of it between two of
// them is worked out as after any message.
func (s *shell) pressTimes(name string, times int) tea.Cmd {
	var cmds []tea.Cmd
	for range times {
		cmds = append(cmds, s.typeAhead(keyNamed(name)))
	}
	return tea.Batch(cmds...)
}

// keyNamed is the press of a key with the name that Bubble Tea gives it. It has a
// name for each type of key but no type for a name, so all types are tried: control
// characters from 0 on, other keys below.
func keyNamed(name string) tea.KeyMsg {
	for kind := range tea.KeyType(256) {
		if k := (tea.KeyMsg{Type: kind - 128}); k.String() == name && kind-128 != tea.KeyRunes {
			return k
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}
