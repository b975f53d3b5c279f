package pages

import (
	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

const maxCaption = 5 // lines

// captionLines returns the lines above the panes.
func (p *storyPage) captionLines(w int) render.Lines {
	return p.captionAt(p.at).Draw(w, p.lines)
}

// captionAt returns the caption at a row: the story's text, the question before the
// next row, and whether the failure is intended.
func (p *storyPage) captionAt(at int) render.Caption {
	var c render.Caption
	if step := p.run.Told(at); step != nil {
		if c.Text = p.captionOf(step, at); c.Text == "" {
			c.Hint = step.Text
		}
	}
	p.questionAt(at, &c)
	last := lastShown(p.run) // a replay has an outcome of its own
	switch fails := len(p.run.Found) > 0; {
	case at == 0 && p.gate(last) < last && p.talk == nil:
		c.Hint = p.Text("will_ask")
	case fails && !taught(p.run.History.Config.Strategy):
	case at == last && at == len(p.run.Rows)-1 && fails: // before replays, the card says it
		c.Hint = p.Text("meant_to_fail_after")
	case at == last && !fails && p.part != "":
		c.Hint = p.Text("has_worked")
	case at == last && !fails:
		c.Hint = p.Text("no_violation")
	case at == p.unknown:
		c.Hint = p.Text("noscript")
	}
	return c
}

// lastShown returns the last row of the run itself; a replay with another lock follows.
func lastShown(r *lesson.Run) int {
	at := len(r.Rows) - 1
	for at > 0 && r.Rows[at].Command != nil && r.Rows[at].Command.Replays() {
		at--
	}
	return at
}

// captionOf returns the caption of a command, as it is shown at a row: that of an earlier
// command is marked as such.
func (p *storyPage) captionOf(step *scenarios.Step, at int) string {
	text := step.Caption(p.Book, p.lang)
	if text == "" || step == p.run.Step(at) {
		return text
	}
	return p.Fill("before", facts{Said: text})
}

// A captionRoom is how many lines the captions of a run take at a size. It is the same
// at every step, so that the panes do not move, and computed once: a story may have
// very many steps.
type captionRoom struct {
	run           *lesson.Run
	lang          string
	width, height int
}

// fitCaptions updates the room.
func (p *storyPage) fitCaptions() {
	if p.run == nil {
		return
	}
	if now := (captionRoom{p.run, p.lang, p.width, p.height}); now != p.captions {
		p.captions, p.highest = now, p.highestOpen()
	}
	most := p.highest
	for at := range p.given { // an answer changes what is said about its command
		from, to := p.run.RowsOf(at.beat)
		for row := max(0, from-1); row < to; row++ {
			if p.run.Rows[row].First || p.run.EndsCommand(row) {
				most = max(most, p.captionLinesAt(row))
			}
		}
	}
	p.lines = min(most, max(3, p.room()/4))
}

// highestOpen returns the height of the highest caption before questions are answered.
// Rows within a command have the caption of its first row.
func (p *storyPage) highestOpen() int {
	given := p.given
	p.given = nil
	defer func() { p.given = given }()
	most, last := 2, len(p.run.Rows)-1
	for i, row := range p.run.Rows {
		if row.Beat >= 0 && (row.First || p.run.EndsCommand(i)) || i == 0 || i == last || i == p.unknown {
			most = max(most, p.captionLinesAt(i))
		}
	}
	return most
}

func (p *storyPage) captionLinesAt(row int) int {
	return len(p.captionAt(row).Draw(p.width, maxCaption))
}
