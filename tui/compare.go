package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/tui/render"
)

// compared is the schedule of a chapter, played with its lock and with the one
// that fixes it.
type compared struct {
	generation int
	story      *scenarios.Story
	sides      [2]side
	err        error
}

// compare plays both.
func (m *model) compare(ch scenarios.Chapter) tea.Cmd {
	generation := m.generation
	return func() tea.Msg {
		msg := compared{generation: generation, story: ch.Breaks}
		for i, lock := range []string{ch.Lock, ch.Fix} {
			result, err := scenarios.RunAgainst(ch.Breaks.For(lock), lock)
			if err != nil {
				msg.err = err
				break
			}
			msg.sides[i] = side{lock, newRun(result), result.Consequence}
		}
		return msg
	}
}

func (m *model) isCompared(msg compared) {
	if msg.generation != m.generation {
		return
	}
	if m.failed = msg.err; m.failed != nil {
		return
	}
	m.course.sides, m.course.beat = msg.sides, menu{0, len(msg.story.Steps)}
}

// compareBody is the command at the cursor with what both locks made of all
// commands so far.
func (m *model) compareBody(w, h int) []string {
	c := &m.course
	if c.beat.n == 0 {
		return nil
	}
	room := m.remarkRoom(w, h)
	out := render.Block(m.remark(c.beat.at).Draw(m.theme, w, room), w, room)
	return append(out, render.Compare(m.side(0), m.side(1), m.labels, m.theme, w, h-room)...)
}

// remark is the command, and at both ends what there is to say of it all.
func (m *model) remark(beat int) render.Caption {
	c := &m.course
	remark := render.Caption{Hint: m.book.Text("command") + ": " + c.open().Breaks.Steps[beat].Text}
	switch beat {
	case c.beat.n - 1:
		remark.Text = m.book.Chapter(c.open().Lock).After
	case 0:
		remark.Text = m.book.Fill("same_schedule", prose.TextFacts{What: c.open().Fix})
	}
	return remark
}

// remarkRoom is the same for every command, so that nothing jumps.
func (m *model) remarkRoom(w, h int) int {
	first, last := m.remark(0).Draw(m.theme, w, h), m.remark(m.course.beat.n-1).Draw(m.theme, w, h)
	return min(max(len(first), len(last)), h/2)
}

// side is how one lock has fared up to the command at the cursor.
func (m *model) side(i int) render.Side {
	c := &m.course
	s := c.sides[i]
	at, met := 0, 0
	for row := range s.run.Rows {
		if s.run.Rows[row].Beat <= c.beat.at {
			at = row
		}
	}
	for _, f := range s.run.Found {
		if f.Row <= at {
			met++
		}
	}
	says := m.book.Fill("violations_met", prose.TextFacts{N: met})
	if m.atEnd() {
		says += ", " + s.consequence
	}
	return render.Side{Name: s.lock, Says: says, Run: s.run, At: at}
}
