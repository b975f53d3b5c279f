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

// A pane is the one that a narrow terminal shows below the lanes.
type pane int

const (
	sourcePane pane = iota
	keysPane
	beliefsPane
	panes // how many there are
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
	out := render.Block(m.captionLines(w), w, m.captionRoom)
	rest := h - m.captionRoom
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
	return m.captionAt(m.player.at).Draw(m.theme, w, m.captionRoom)
}

func (m *model) panes(w, h int) []string {
	if m.isNarrow() {
		return m.stacked(w, h)
	}
	left := min(max(38, w*19/40), 76)
	right := w - left - 1
	low := min(max(len(m.run.History.Config.Clients), m.run.History.Nodes)+1, 8, h/3)
	low = max(3, low)
	top := h - low - 2
	snap := m.snapshot()
	name, lines := m.leftPane(left, top)
	out := headings(m.theme, name, left, m.book.Text("steps"), right)
	out = append(out, render.Beside(
		render.Block(lines, left, top),
		render.Block(render.Lanes(m.run, m.player.at, m.labels, m.theme, right, top), right, top),
		m.theme.Faint.Render(m.theme.Bar))...)
	out = append(out, headings(m.theme, m.book.Text("keys"), left, "", right)...)
	return append(out, render.Beside(
		render.Block(render.Keys(snap, m.labels, m.theme, left, low), left, low),
		render.Block(render.Beliefs(snap, m.labels, m.theme, right, low), right, low),
		m.theme.Faint.Render(m.theme.Bar))...)
}

// stacked is lanes above and one more pane below.
func (m *model) stacked(w, h int) []string {
	snap := m.snapshot()
	low := max(1, (h-2)*2/5)
	if m.pane == movesPane {
		low = max(1, (h-2)*3/5)
	}
	top := h - 2 - low
	out := []string{render.Heading(m.book.Text("steps"), m.theme, w)}
	out = append(out, render.Block(render.Lanes(m.run, m.player.at, m.labels, m.theme, w, top), w, top)...)
	switch m.pane {
	case movesPane, branchesPane:
		name, lines := m.gamePane(w, low)
		return append(append(out, render.Heading(name, m.theme, w)), lines...)
	case keysPane:
		out = append(out, render.Heading(m.book.Text("keys"), m.theme, w))
		return append(out, render.Keys(snap, m.labels, m.theme, w, low)...)
	case beliefsPane:
		out = append(out, render.Heading("", m.theme, w))
		return append(out, render.Beliefs(snap, m.labels, m.theme, w, low)...)
	}
	file, code := m.code()
	out = append(out, render.Heading(m.book.Text("source")+" "+file, m.theme, w))
	return append(out, render.Source(code, m.theme, w, low)...)
}

func headings(t render.Theme, left string, w int, right string, rw int) []string {
	return []string{render.Heading(left, t, w) + t.Faint.Render(t.Rule) + render.Heading(right, t, rw)}
}

func (m *model) snapshot() render.Snapshot {
	row := m.here()
	return render.At(m.run.History, row.From, row.To)
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

// captionHeight is the same at every step of a story, so that the panes stay
// where they are. Update works it out, for it looks at every step.
func (m *model) captionHeight() int {
	if m.run == nil {
		return 0
	}
	if m.screen == gameScreen {
		return len(m.gameCaption())
	}
	most, given := 2, m.given
	for _, m.given = range []map[place]string{nil, given} { // questions are open at first
		for i, row := range m.run.Rows {
			if row.First || m.isLastOfBeat(i) {
				most = max(most, len(m.captionAt(i).Draw(m.theme, m.width, maxCaption)))
			}
		}
	}
	return min(most, max(3, (m.height-margins)/4))
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
	met := 0
	for _, f := range m.run.Found {
		if f.Row <= p.at {
			met++
		}
	}
	if met > 0 {
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
