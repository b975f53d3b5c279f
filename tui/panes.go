package tui

import (
	"slices"

	"lockstep/tui/render"
)

// A pane is the one that a narrow terminal shows below the lanes.
type pane int

const (
	sourcePane pane = iota
	keysPane
	beliefsPane
	stripPane
	panes // how many there are
)

const (
	tallHeight = 36 // from here on a wide terminal has room for everything
	leastTop   = 10 // lines of source and lanes above it
	widestKeys = 76 // cells: beyond, a key's TTL is far from its name
	leastLow   = 10 // lines of bands and strip together
)

// isTall says whether bands and strip stand below the other panes.
func (m *model) isTall() bool { return !m.isNarrow() && m.height >= tallHeight }

// choosable are the panes of which there is only room for one.
func (m *model) choosable() []pane {
	list := []pane{sourcePane, keysPane, beliefsPane, stripPane}
	switch {
	case m.isTall():
		list = []pane{sourcePane}
	case !m.isNarrow():
		list = []pane{sourcePane, stripPane} // the rest is shown beside them
	}
	if m.screen == gameScreen {
		return append([]pane{movesPane, branchesPane}, list...)
	}
	return list
}

// nextPane shows another pane where there is no room for all.
func (m *model) nextPane() {
	list := m.choosable()
	m.pane = list[(max(0, slices.Index(list, m.pane))+1)%len(list)]
}

// cursor is where the learner is, and how far it is known what happens.
func (m *model) cursor() render.Cursor {
	return render.Cursor{At: m.player.at, Seen: m.player.seen}
}

// panes are all panes for which there is room.
func (m *model) panes(w, h int) []string {
	if m.isNarrow() {
		return m.stacked(w, h)
	}
	snap, run := m.snapshot(), m.run
	if rest := h - leastTop - 2; rest > leastLow && m.isTall() {
		bands := render.Timeline(run, snap, m.cursor(), m.labels, m.theme, w, rest-1)
		low := len(bands)
		keys := max(1, min(3, rest-low))
		out := m.beside(w, h-low-keys-2)
		out = append(out, render.Heading(m.book.Text("keys"), m.theme, w))
		out = append(out, render.Block(render.Keys(snap, m.labels, m.theme, min(w, widestKeys), keys), w, keys)...)
		out = append(out, render.Heading(m.book.Text("beliefs")+", "+m.book.Text("invariants"), m.theme, w))
		return append(out, bands...)
	}
	if m.pane == stripPane {
		low := max(3, min(run.StripLines(), h-5))
		out := append(m.beside(w, h-low-1), render.Heading(m.book.Text("invariants"), m.theme, w))
		return append(out, render.Strip(run, m.cursor(), m.labels, m.theme, w, low)...)
	}
	left, right := m.columns(w)
	bands := render.Beliefs(run, snap, m.cursor(), m.labels, m.theme, right, max(3, min(9, h*2/5)))
	low := len(bands)
	out := m.beside(w, h-low-1)
	out = append(out, headings(m.theme, m.book.Text("keys"), left, m.book.Text("beliefs"), right)...)
	return append(out, render.Beside(
		render.Block(render.Keys(snap, m.labels, m.theme, left, low), left, low),
		render.Block(bands, right, low),
		m.theme.Faint.Render(m.theme.Bar))...)
}

// columns are the widths of two panes next to each other.
func (m *model) columns(w int) (left, right int) {
	left = min(max(38, w*19/40), 76)
	return left, w - left - 1
}

// beside is the source, or what else there is to the left, and the lanes.
func (m *model) beside(w, h int) []string {
	left, right := m.columns(w)
	h--
	name, lines := m.leftPane(left, h)
	return append(headings(m.theme, name, left, m.book.Text("steps"), right), render.Beside(
		render.Block(lines, left, h),
		render.Block(render.Lanes(m.run, m.player.at, m.labels, m.theme, right, h), right, h),
		m.theme.Faint.Render(m.theme.Bar))...)
}

// stacked is lanes above and one more pane below.
func (m *model) stacked(w, h int) []string {
	name, want := m.lowPane()
	low := max(1, min(want, h-5))
	top := h - 2 - low
	out := []string{render.Heading(m.book.Text("steps"), m.theme, w)}
	out = append(out, render.Block(render.Lanes(m.run, m.player.at, m.labels, m.theme, w, top), w, top)...)
	snap, run := m.snapshot(), m.run
	var lines []string
	switch m.pane {
	case movesPane, branchesPane:
		name, lines = m.gamePane(w, low)
	case keysPane:
		lines = render.Keys(snap, m.labels, m.theme, w, low)
	case beliefsPane:
		lines = render.Beliefs(run, snap, m.cursor(), m.labels, m.theme, w, low)
	case stripPane:
		lines = render.Strip(run, m.cursor(), m.labels, m.theme, w, low)
	default: // with the key that changed: a step is lit in three places
		file, code := m.code()
		name += " " + file
		lines = render.Block(render.Source(code, m.theme, w, low-1), w, max(0, low-1))
		lines = append(lines, render.Keys(snap, m.labels, m.theme, w, 1)...)
	}
	return append(append(out, render.Heading(name, m.theme, w)), lines...)
}

// lowPane is the pane of a narrow terminal: its name, and the lines that it
// would like to have.
func (m *model) lowPane() (name string, want int) {
	usual := (m.height - margins - m.captions.lines - 2) * 2 / 5
	switch m.pane {
	case movesPane, branchesPane:
		return "", usual * 3 / 2
	case keysPane:
		return m.book.Text("keys"), usual
	case beliefsPane:
		return m.book.Text("beliefs"), max(usual, m.run.BeliefLines())
	case stripPane:
		return m.book.Text("invariants"), m.run.StripLines()
	}
	return m.book.Text("source"), usual + 1
}

func headings(t render.Theme, left string, w int, right string, rw int) []string {
	return []string{render.Heading(left, t, w) + t.Faint.Render(t.Rule) + render.Heading(right, t, rw)}
}
