package tui

import (
	"io"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// copied is what came of asking the terminal to copy the token.
type copied struct{ err error }

// replayable is the run on the screen, if there is one.
func (m *model) replayable() (c history.Config, s history.Schedule, ok bool) {
	switch {
	case m.showsRun() && m.run != nil && m.failed == nil:
		h := m.run.History
		return h.Config, h.Schedule, true
	case m.screen == matrixScreen:
		if f, found := m.board.found(); found {
			return m.board.here().Config, f.Schedule, true
		}
	}
	return c, s, false
}

// copyToken shows the token, and asks the terminal to copy it. That one was
// asked says nothing of whether it does, so both are always needed.
func (m *model) copyToken() tea.Cmd {
	config, schedule, ok := m.replayable()
	if !ok {
		return nil
	}
	m.player.pause()
	m.covered, m.token, m.tokenNote, m.scroll = true, history.Token(config, schedule), "", 0
	token, write := m.token, m.clipboard
	if write == nil {
		return nil
	}
	return func() tea.Msg { return copied{write(token)} }
}

func (m *model) tokenIsCopied(msg copied) {
	if m.tokenNote = m.book.Text("token_asked"); msg.err != nil {
		m.tokenNote = m.book.Fill("token_not_asked", prose.TextFacts{What: firstLine(msg.err)})
	}
}

// tokenText is the token with nothing around it that a mouse would select too.
func (m *model) tokenText() []string {
	out := []string{render.Heading(m.book.Text("replay_token"), m.theme, m.width)}
	out = append(out, render.Wrap(m.tokenNote, m.width)...)
	out = append(append(out, ""), strings.Split(ansi.Hardwrap(m.token, m.width, false), "\n")...)
	return append(append(out, ""), render.Wrap(m.book.Text("token_use"), m.width)...)
}

// clipboardOf asks a terminal to copy, by one write, so that it comes between
// two frames and not into one.
func clipboardOf(terminal io.Writer) func(text string) error {
	return func(text string) error {
		_, err := io.WriteString(terminal, copySequence(text, os.Getenv))
		return err
	}
}

// copySequence asks by OSC 52, which works over SSH too. tmux hears it itself
// if set-clipboard is on, or passes it on if allow-passthrough is.
func copySequence(text string, getenv func(string) string) string {
	const most = 768 // bytes that GNU screen takes at a time
	ask := ansi.SetSystemClipboard(text)
	switch {
	case getenv("TMUX") != "":
		return ask + ansi.TmuxPassthrough(ask)
	case getenv("STY") != "":
		return ansi.ScreenPassthrough(ask, most)
	}
	return ask
}
