package tui

import (
	"strings"

	"lockstep/scenarios/prose"
	"lockstep/tui/render"
)

// Below the least size a frame says so; below the other one panes are stacked
// and only some are shown.
const (
	leastWidth, leastHeight = 40, 12
	wideWidth, wideHeight   = 80, 22
	margins                 = 3 // lines of title, status and help
	helpWidth               = 30
	keyWidth                = 13 // cells of the longest keys in the help
)

// No more than that is drawn, at the top left: a terminal says any size up to
// 65535 x 65535, and a frame is as large as what it says. The largest screens
// with the smallest letters that can be read have about so many cells.
const mostWidth, mostHeight = 1000, 300

// resize takes the size of the terminal.
func (m *model) resize(width, height int) {
	m.width, m.height = min(width, mostWidth), min(height, mostHeight)
}

func (m *model) isNarrow() bool { return m.width < wideWidth || m.height < wideHeight }

// View draws the frame: exactly as many lines as the terminal has, or as are
// drawn at most, none wider.
func (m *model) View() string {
	w, h := m.width, m.height
	if w <= 0 || h <= 0 {
		return ""
	}
	var lines []string
	if w < leastWidth || h < leastHeight {
		facts := prose.TextFacts{Width: w, Height: h, NeedWidth: leastWidth, NeedHeight: leastHeight}
		lines = render.Wrap(m.book.Fill("too_small", facts), w)
	} else {
		lines = append(lines, m.titleLine())
		lines = append(lines, render.Block(m.body(), w, h-margins)...)
		lines = append(lines, m.statusLine(), m.helpLine())
	}
	lines = render.Block(lines, w, h)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func (m *model) body() []string {
	w, h := m.width, m.height-margins
	if text, ok := m.longText(); ok {
		lines, _ := render.Scroll(text, m.scroll, h)
		return lines
	}
	switch m.screen {
	case courseScreen:
		return m.chaptersBody(w, h)
	case compareScreen:
		return m.compareBody(w, h)
	case againstScreen:
		return m.againstBody(w, h)
	case searchScreen:
		return m.searchBody(w, h)
	case locksScreen:
		return m.locksBody(w, h)
	case storiesScreen:
		return m.storiesBody(w, h)
	case matrixScreen:
		return m.matrixBody(w, h)
	case levelsScreen:
		return m.levelsBody(w, h)
	}
	return m.playerBody(w, h)
}

// longText is the text that fills the body and may be scrolled, if one does.
func (m *model) longText() ([]string, bool) {
	switch {
	case m.covered && m.token != "":
		return m.tokenText(), true
	case m.covered:
		return m.helpText(), true
	case m.screen == lockScreen:
		return m.lockText(m.width), true
	case m.screen == matrixScreen && m.board.whole:
		return m.wholeCell(), true
	case m.screen == pageScreen:
		return m.pageText(m.width), true
	case m.screen == compareScreen && m.comparison.err != nil:
		return render.Wrap(m.comparison.err.Error(), m.width), true
	case m.showsRun() && m.failed != nil:
		return render.Wrap(m.failed.Error(), m.width), true
	}
	return nil, false
}

// settle works out what only changes with a message: the room that captions
// take, and a scroll offset at which there is text.
func (m *model) settle() {
	m.fitCaptions()
	text, ok := m.longText()
	room := m.height - margins
	if !ok && m.showsRun() && m.run != nil && m.card {
		text, room, ok = m.cardText(m.width), m.cardRoom(), true
	}
	if !ok {
		m.scroll = 0
		return
	}
	_, m.scroll = render.Scroll(text, m.scroll, max(1, room))
}

func (m *model) titleLine() string {
	left, right := "Lockstep", ""
	switch m.screen {
	case storiesScreen, lockScreen:
		left = m.lockTitle()
	case courseScreen, pageScreen:
		left, right = m.courseTitle()
	case searchScreen:
		left = m.book.Text("search")
	case compareScreen, againstScreen:
		left, right = m.compareTitle()
	case playerScreen:
		left, right = m.book.Lock(m.lock.ID).Name, m.title
	case levelsScreen:
		left = m.book.Text("levels")
	case gameScreen:
		left, right = m.gameTitle()
	case matrixScreen:
		left, right = m.book.Text("matrix"), m.book.Lock(m.board.source.Locks[m.board.lock.at]).Name
	}
	left, right = render.Ends(left, right, m.width)
	return m.theme.Title.Render(left) + m.theme.Faint.Render(right)
}

func (m *model) lockTitle() string { return m.lock.ID + ": " + m.book.Lock(m.lock.ID).Name }

func (m *model) statusLine() string {
	left, right := "", ""
	text, long := m.longText()
	switch {
	case m.notice != "":
		left = m.notice
	case long && len(text) > m.height-margins:
		left = m.lineCount(m.scroll, m.height-margins, len(text))
	case m.showsRun() && m.failed != nil:
		left = m.theme.Glyphs.Bad + " " + m.book.Text("failed")
	case m.screen == compareScreen || m.screen == againstScreen:
		left = m.compareStatus()
	case m.showsRun() && m.run == nil:
		left = m.running()
	case m.screen == playerScreen:
		left, right = m.playerStatus()
	case m.screen == gameScreen:
		left, right = m.gameStatus()
	case m.screen == matrixScreen:
		left, right = m.matrixStatus()
	case m.screen == levelsScreen:
		left = m.book.Fill("nth_level", prose.TextFacts{N: min(m.levels.menu.at+1, m.levels.menu.n), Of: m.levels.menu.n})
	case m.screen == courseScreen || m.screen == pageScreen:
		left = m.courseStatus()
	case m.screen == storiesScreen && m.choice.at > 0:
		left = m.book.Fill("nth_story", prose.TextFacts{N: m.choice.at, Of: m.choice.n - 1})
	case m.screen == searchScreen:
		left = m.searchStatus()
	case m.screen == locksScreen:
		left = m.book.Fill("nth_lock", prose.TextFacts{N: min(m.locks.at+1, m.locks.n), Of: m.locks.n})
	}
	left, right = render.Ends(left, right, m.width)
	return m.theme.Strong.Render(left) + m.theme.Faint.Render(right)
}

// lineCount says which part of a text is to be seen.
func (m *model) lineCount(from, room, all int) string {
	return m.book.Fill("lines", prose.TextFacts{From: from + 1, To: min(all, from+room), Of: all})
}

// helpText is generated from the key map: every key that works on the screen
// below the help.
func (m *model) helpText() []string {
	var out []string
	below := *m
	below.covered = false
	below.enableKeys()
	for _, group := range below.keys.groups() {
		lines := []string{}
		for _, b := range group {
			if b.Enabled() {
				lines = append(lines, m.theme.Strong.Render(render.Fit(b.Help().Key, keyWidth))+"  "+b.Help().Desc)
			}
		}
		if len(lines) > 0 && len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	switch m.screen {
	case matrixScreen:
		return append(out, m.matrixLegend()...)
	case locksScreen, storiesScreen, lockScreen, levelsScreen, courseScreen, pageScreen, againstScreen:
		return out
	}
	legend := render.Legend(m.labels, m.theme, m.width)
	if left := m.width / 2; left >= helpWidth {
		return render.Beside(render.Block(out, left, len(out)), render.Block(legend, m.width-left, len(out)), "")
	}
	return append(append(out, ""), legend...)
}
