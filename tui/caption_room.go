package tui

import "lockstep/tui/render"

// A captionRoom is how many lines the captions of a run take at a size. It is
// the same at every step, so that the panes stay where they are, and is worked
// out once: a story may have very many steps.
type captionRoom struct {
	run           *render.Run
	width, height int
	open          int // lines while no question is answered
	lines         int
}

// fitCaptions brings the room up to date.
func (m *model) fitCaptions() {
	r := &m.captions
	switch {
	case m.run == nil:
		*r = captionRoom{}
		return
	case m.screen == gameScreen:
		*r = captionRoom{lines: len(m.gameCaption())}
		return
	case r.run != m.run || r.width != m.width || r.height != m.height:
		*r = captionRoom{run: m.run, width: m.width, height: m.height}
		r.open = m.highestOpen()
	}
	most := r.open
	for at := range m.given { // an answer changes what is said about its command
		from, to := m.run.RowsOf(at.beat)
		for row := max(0, from-1); row < to; row++ {
			if m.run.Rows[row].First || m.isLastOfBeat(row) {
				most = max(most, m.captionLinesAt(row))
			}
		}
	}
	r.lines = min(most, max(3, (m.height-margins)/4))
}

// highestOpen is the most that a caption takes before questions are answered.
// Rows within a command say what its first row says.
func (m *model) highestOpen() int {
	given := m.given
	m.given = nil
	defer func() { m.given = given }()
	most, last := 2, len(m.run.Rows)-1
	for i, row := range m.run.Rows {
		if row.Beat >= 0 && (row.First || m.isLastOfBeat(i)) || i == 0 || i == last {
			most = max(most, m.captionLinesAt(i))
		}
	}
	return most
}

func (m *model) captionLinesAt(row int) int {
	return len(m.captionAt(row).Draw(m.theme, m.width, maxCaption))
}
