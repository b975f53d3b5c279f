package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/internal/palette"
	"lockstep/tui/pages"
	"lockstep/tui/paint"
)

// A terminal is the pages as a Bubble Tea program.
type terminal struct {
	*pages.Shell
	mouse   bool
	painter paint.Painter
	on      func(palette.Background) paint.Painter
	ask     func() // the terminal for its background; nil if it is known
}

func (t terminal) Init() tea.Cmd {
	if t.ask != nil { // now that the answer is not echoed
		t.ask()
	}
	return command(t.Shell.Init())
}

// Update passes a message to the pages.
func (t terminal) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if b, ok := msg.(palette.Background); ok {
		t.painter = t.on(b)
		return t, nil
	}
	if _, ok := msg.(tea.ResumeMsg); ok && t.mouse { // Bubble Tea forgets it
		return t, tea.EnableMouseCellMotion
	}
	if _, ok := msg.(tea.MouseMsg); ok && !t.mouse {
		return t, nil
	}
	return t, command(t.Shell.Update(happened(msg)))
}

func (t terminal) View() string { return t.painter.Frame(t.Lines()) }

// happened translates a message of Bubble Tea for the pages.
func happened(msg tea.Msg) any {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return pages.Size{Width: msg.Width, Height: msg.Height}
	case tea.KeyMsg:
		return keysOf(msg)
	case tea.MouseMsg:
		return pointed(msg)
	}
	return msg
}

// keysOf splits a message with several keys, which a slow line delivers at once. An
// Enter from before the program took over the terminal arrives as a line feed.
func keysOf(msg tea.KeyMsg) pages.Keys {
	text := string(msg.Runes)
	switch {
	case msg.Paste:
		return pages.Keys{{Text: text}}
	case msg.Type == tea.KeyCtrlJ && !msg.Alt:
		return pages.Keys{pages.KeyNamed("enter")}
	case msg.Type != tea.KeyRunes || len(msg.Runes) < 2:
		return pages.Keys{{Name: msg.String(), Text: text}}
	}
	var keys pages.Keys
	for _, r := range msg.Runes {
		one := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}
		keys = append(keys, pages.Key{Name: one.String(), Text: string(r)})
	}
	return keys
}

// pointed translates a mouse message; nil for nothing.
func pointed(msg tea.MouseMsg) any {
	if msg.Action != tea.MouseActionPress {
		return nil
	}
	switch msg.Button {
	case tea.MouseButtonLeft:
		return pages.Click{X: msg.X, Y: msg.Y}
	case tea.MouseButtonWheelUp, tea.MouseButtonWheelDown:
		return pages.Wheel{Up: msg.Button == tea.MouseButtonWheelUp}
	}
	return nil
}

// command translates a command of the pages for Bubble Tea.
func command(cmd pages.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case pages.Batch:
			var several tea.BatchMsg
			for _, c := range msg {
				several = append(several, command(c))
			}
			return several
		case pages.Quit:
			return tea.Quit()
		case pages.Interrupt:
			return tea.Interrupt()
		case pages.Suspend:
			return tea.Suspend()
		default:
			return msg
		}
	}
}
