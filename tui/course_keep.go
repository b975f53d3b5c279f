package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios/prose"
)

// keepProgress notes how far the open chapter has come and asks for that to be
// saved, if it is news.
func (m *model) keepProgress() tea.Cmd {
	c := &m.course
	if !m.inCourse() {
		return nil
	}
	lock := c.open().Lock
	was, begun := c.progress.Chapters[lock]
	now := mark{Part: c.partHere(), Done: was.Done || c.part.at == c.part.n-1 && m.atEnd()}
	if begun && now == was && c.progress.Last == lock {
		return nil
	}
	c.progress.Last, c.progress.Chapters[lock] = lock, now
	return m.save()
}

// saved is what came of writing the progress.
type saved struct{ err error }

func (m *model) save() tea.Cmd {
	c := &m.course
	c.changes++
	number, p, s := c.changes, c.progress.clone(), c.store
	return func() tea.Msg { return saved{s.save(number, p)} }
}

// progressIsSaved says once that it is not.
func (m *model) progressIsSaved(msg saved) {
	c := &m.course
	if msg.err == nil || c.unsaved {
		return
	}
	c.unsaved = true
	c.notice = m.book.Fill("progress_unsaved", prose.TextFacts{What: firstLine(msg.err)})
}

// flush writes what the end of the program has left unwritten.
func (c *course) flush() { _ = c.store.save(c.changes, c.progress) }

// askReset asks before everything is forgotten.
func (m *model) askReset() {
	m.course.asks = true
	m.course.notice = m.book.Fill("reset_ask", prose.TextFacts{What: m.keys.Confirm.Help().Key})
}

// pressInCourse takes the key that answers a question, and ends what is said
// once.
func (m *model) pressInCourse(msg tea.KeyMsg) (cmd tea.Cmd, taken bool) {
	c := &m.course
	if !m.inCourse() && m.screen != courseScreen {
		return nil, false
	}
	asked := c.asks
	c.notice, c.asks = "", false
	if !asked || key.Matches(msg, m.keys.Quit, m.keys.Interrupt) {
		return nil, false
	}
	if key.Matches(msg, m.keys.Confirm) {
		c.progress, c.chapter.at = newProgress(), 0
		c.notice = m.book.Text("reset_done")
		return m.save(), true
	}
	return nil, true
}

// coursePosition is what the farewell says to those who are in the course, or
// were and have gone back to the locks.
func (m *model) coursePosition() (prose.TextFacts, bool) {
	c := &m.course
	here := m.inCourse() || m.screen == courseScreen
	if !here && (c.changes == 0 || m.screen != locksScreen) {
		return prose.TextFacts{}, false
	}
	return prose.TextFacts{N: c.done(), Of: c.chapter.n, What: m.keys.Course.Help().Key, Said: c.open().Lock}, true
}
