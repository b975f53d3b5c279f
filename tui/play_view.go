package tui

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

const (
	maxCaption = 5
	tallLanes  = 14 // lines of panes that must be left for a card to stand below them
	lowLanes   = 10 // the same, if the card only explains an answer
)

// playerBody is a story at the cursor.
func (m *model) playerBody(w, h int) []string {
	if m.run == nil {
		return nil
	}
	out := render.Block(m.captionLines(w), w, m.captions.lines)
	rest := h - m.captions.lines
	if !m.card {
		return append(out, m.panes(w, rest)...)
	}
	return append(out, m.withCard(w, rest)...)
}

// captionLines is what stands above the panes.
func (m *model) captionLines(w int) []string {
	if m.screen == gameScreen {
		return m.gameCaption()
	}
	return m.captionAt(m.player.at).Draw(m.theme, w, m.captions.lines)
}

func (m *model) snapshot() render.Snapshot {
	return m.run.At(m.player.at)
}

// code returns the source that belongs to the row at the cursor.
func (m *model) code() (file string, code render.Code) {
	source, own := m.run.Lit(m.player.at)
	file, number, _ := strings.Cut(path.Base(source), ":")
	if source == "" {
		if info, ok := strategies.Find(m.run.History.Config.Strategy); ok {
			file = info.File
		}
	}
	text, err := strategies.Source(file)
	if err != nil {
		text = source // a file of another module: at least its name
	}
	line, _ := strconv.Atoi(number)
	return file, render.Code{Text: text, Line: line, Lit: own}
}

// captionAt is what the story says at a row, the question that comes before
// the next one, and whether all this is meant to go wrong.
func (m *model) captionAt(at int) render.Caption {
	var c render.Caption
	row := m.run.Rows[at]
	if step := m.step(row.Beat); step != nil {
		if c.Text = m.caption(*step); c.Text == "" {
			c.Hint = step.Text
		}
	}
	m.questionAt(at, &c)
	switch fails := len(m.run.Found) > 0; {
	case at == 0 && fails:
		c.Hint = m.book.Text("meant_to_fail_before")
	case at == 0 && m.inCourse() && m.course.partHere() == workPart:
		c.Hint = m.book.Text("meant_to_work")
	case at == len(m.run.Rows)-1 && fails:
		c.Hint = m.book.Text("meant_to_fail_after")
	case at == len(m.run.Rows)-1 && m.inCourse():
		c.Hint = m.book.Text("has_worked")
	case at == len(m.run.Rows)-1:
		c.Hint = m.book.Text("no_violation")
	}
	return c
}

func (m *model) step(beat int) *scenarios.Step {
	if beat < 0 || beat >= len(m.story.Steps) {
		return nil
	}
	return &m.story.Steps[beat]
}

// caption is a step's caption in the learner's language, or in English.
func (m *model) caption(s scenarios.Step) string {
	if text := s.Captions[m.lang]; text != "" {
		return text
	}
	return s.Captions["en"]
}

// playerStatus is where the cursor is, and what it does. It counts the
// violations that were met on the way here: the rest are still to be guessed.
func (m *model) playerStatus() (left, right string) {
	p := m.player
	left = fmt.Sprintf("%s  t=%v", m.book.Fill("at_step", prose.TextFacts{Step: p.at + 1, Steps: p.rows}), m.run.Time(p.at))
	right = m.paceText()
	if met := m.run.Met(p.at); met > 0 {
		if right != "" {
			right += ", "
		}
		right += m.book.Fill("violations", prose.TextFacts{N: met})
	}
	if step := m.step(m.here().Beat); step != nil {
		left = render.Trim(left+"  "+step.Text, m.width-ansi.StringWidth(right)-2)
	}
	return left, right
}

// paceText says whether the story plays by itself, and how fast; "" where
// playing takes no time.
func (m *model) paceText() string {
	if m.still {
		return ""
	}
	id := "paused"
	if m.player.playing {
		id = "playing"
	}
	return m.book.Text(id) + " (" + m.book.Fill("pace", prose.TextFacts{Delay: m.player.delay().String()}) + ")"
}
