package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// inFooter is what the footer shows as far as there is room, the most useful
// first.
func (k keyMap) inFooter() []key.Binding {
	if k.Pick.Enabled() || k.Undo.Enabled() {
		return []key.Binding{k.Pick, k.Undo, k.Redo, k.Cause, k.Hint, k.Pane, k.Next, k.Card, k.Branch, k.GiveUp, k.Copy}
	}
	return []key.Binding{
		k.Confirm, k.Answer, k.Unsure, k.Onward, k.Cause, k.Step, k.Backward, k.StepBack, k.Open, k.Course, k.Pane, k.Play, k.Take, k.Next, k.FirstFailure, k.Card,
		k.Search, k.Compare, k.Levels, k.Matrix, k.Reset, k.Copy,
	}
}

// helpLine is the footer: keys and what they do, none of them cut. How to be
// helped and how to get out come last and always.
func (m *model) helpLine() string {
	if m.screen == searchScreen {
		return m.searchHelp()
	}
	const between = "  "
	var shown, always []string
	used := 0
	item := func(b key.Binding) (text string, width int) {
		h := b.Help()
		name := h.Key
		if !b.Enabled() {
			return "", 0
		}
		if first, _, _ := strings.Cut(name, "/"); first != "" && name != m.keys.Answer.Help().Key {
			name = first // one is enough, unless they differ in what they do
		}
		return m.theme.Strong.Render(name) + m.theme.Faint.Render(" "+h.Desc), ansi.StringWidth(name + " " + h.Desc + between)
	}
	for _, b := range []key.Binding{m.keys.Help, m.keys.Quit, m.keys.Back} {
		if text, width := item(b); width > 0 {
			always, used = append(always, text), used+width
		}
	}
	for _, b := range m.keys.inFooter() {
		if text, width := item(b); width > 0 && used+width-len(between) <= m.width {
			shown, used = append(shown, text), used+width
		}
	}
	return strings.Join(append(shown, always...), between)
}
