package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
)

// openStore reads what was kept, and says if that cannot be.
func (m *model) openStore(dir string) {
	m.store = newStore(dir)
	var aside string
	var err error
	m.progress, aside, err = m.store.load()
	switch {
	case err != nil:
		m.isSaved(saved{err})
	case aside != "":
		m.notice = m.book.Fill("progress_damaged", prose.TextFacts{What: aside})
	}
}

// note keeps what is news, here at once and in the file as soon as it may be.
func (m *model) note(news progress) tea.Cmd {
	m.progress.add(news)
	m.store.add(news)
	return m.save
}

// saved is what came of writing the progress.
type saved struct{ err error }

func (m *model) save() tea.Msg { return saved{m.store.save()} }

// isSaved says once that it is not.
func (m *model) isSaved(msg saved) {
	if msg.err == nil || m.unsaved {
		return
	}
	m.unsaved = true
	m.notice = m.unsavedText(msg.err)
}

func (m *model) unsavedText(err error) string {
	return m.book.Fill("progress_unsaved", prose.TextFacts{What: firstLine(err)})
}

// keepProgress notes how far the open chapter has come, if it is news.
func (m *model) keepProgress() tea.Cmd {
	c := &m.course
	if !m.inCourse() {
		return nil
	}
	c.entered = true
	lock := c.open().Lock
	was, begun := m.progress.Chapters[lock]
	now := mark{Part: c.partHere(), Done: was.Done || c.part.at == c.part.n-1 && m.atEnd()}
	if begun && now == was && m.progress.Last == lock {
		return nil
	}
	return m.note(progress{Last: lock, Chapters: map[string]mark{lock: now}})
}

// keepGuess notes whether a question was answered rightly, if the story says
// why and has a name.
func (m *model) keepGuess(p *scenarios.Prediction, given string) tea.Cmd {
	if m.story == m.nameless || p.Because(m.lang, p.Answer) == "" {
		return nil
	}
	right := given == p.Answer
	guesses := map[string]guess{p.Question: {First: right, Last: right}}
	return m.note(progress{Predictions: map[string]map[string]guess{m.story.Name: guesses}})
}

// askReset asks before everything is forgotten.
func (m *model) askReset() {
	m.course.asks = true
	m.notice = m.book.Fill("reset_ask", prose.TextFacts{What: m.keys.Confirm.Help().Key})
}

// confirm takes the key that answers whether to forget.
func (m *model) confirm(msg tea.KeyMsg) (cmd tea.Cmd, taken bool) {
	c := &m.course
	asked := c.asks
	c.asks = false
	if !asked || key.Matches(msg, m.keys.Quit, m.keys.Interrupt) {
		return nil, false
	}
	if key.Matches(msg, m.keys.Confirm) {
		m.progress, c.chapter.at = newProgress(), 0
		m.notice = m.book.Text("reset_done")
		m.store.clear()
		return m.save, true
	}
	return nil, true
}

// coursePosition is what the farewell says to those who are in the course, or
// were and have gone back to the locks.
func (m *model) coursePosition() (prose.TextFacts, bool) {
	c := &m.course
	here := m.inCourse() || m.screen == courseScreen
	if !here && (!c.entered || m.screen != locksScreen) {
		return prose.TextFacts{}, false
	}
	return prose.TextFacts{N: m.chaptersDone(), Of: c.chapter.n, What: m.keys.Course.Help().Key, Said: c.open().Lock}, true
}
