package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Init runs the story that the options named, if they did.
func (m *model) Init() tea.Cmd {
	if m.screen == playerScreen {
		return guard(m.runStory())
	}
	return nil
}

// Update turns a message into state. It is the only switch on messages.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		cmd = m.typeAhead(msg)
	case storyRun:
		m.storyIsRun(msg)
	case playTick:
		cmd = m.tick(msg)
	case cellDone:
		cmd = m.cellIsDone(msg)
	case matrixDone:
		m.matrixIsDone(msg)
	case foundOut:
		cmd = m.positionIsKnown(msg)
	case explained:
		m.isExplained(msg)
	case searched:
		cmd = m.isSearched(msg)
	case spared:
		m.isSpared(msg)
	case compared:
		m.isCompared(msg)
	case saved:
		m.isSaved(msg)
	case copied:
		m.tokenIsCopied(msg)
	case stuckNews:
		m.isStuck(msg)
	case panicked:
		cmd = m.panics(msg)
	}
	m.settleDown()
	return m, guard(tea.Batch(cmd, m.keepProgress(), m.pressAhead(), m.askCauses()))
}

// settleDown works out what follows from what has changed.
func (m *model) settleDown() {
	m.enableKeys()
	m.settle()
}

// press does what a key is for.
func (m *model) press(msg tea.KeyMsg) tea.Cmd {
	m.notice = ""
	if m.screen == searchScreen {
		return m.typeSearch(msg)
	}
	if cmd, taken := m.confirm(msg); taken {
		return cmd
	}
	if key.Matches(msg, m.keys.Answer, m.keys.Unsure) {
		return m.answer(msg.String())
	}
	if key.Matches(msg, m.keys.Cause) {
		return m.toCause(msg.String())
	}
	for _, a := range m.actions() {
		if key.Matches(msg, *a.key) {
			return a.do()
		}
	}
	return nil
}
