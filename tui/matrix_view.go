package tui

import (
	"strings"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

const usualDetail = 12 // lines

// matrixBody is the table with the detail of the cell at the cursor below it.
func (m *model) matrixBody(w, h int) []string {
	low := m.detailHeight(h)
	top := h - low - 1
	out := render.Block(m.table().Draw(m.labels, m.theme, w, top), w, top)
	text, chosen := m.cellText(w)
	name := m.cellName()
	if len(text) > low {
		name += " (" + m.book.Fill("matrix_more", prose.TextFacts{What: m.keys.Card.Help().Key}) + ")"
	}
	out = append(out, render.Heading(name, m.theme, w))
	shown, _ := render.Scroll(text, chosen-low+1, low)
	return append(out, render.Block(shown, w, low)...)
}

// detailHeight is what the table leaves, and never less than it mostly needs,
// or a good half of a low screen. It is the same for every cell, so that
// nothing jumps.
func (m *model) detailHeight(h int) int {
	return max(h-m.table().Height()-1, min(usualDetail, h*11/20))
}

func (m *model) table() render.Matrix {
	b := &m.board
	return render.Matrix{
		Locks: b.source.Locks, Hazards: b.source.Hazards, Cells: b.verdicts(), Lock: b.lock.at, Hazard: b.hazard.at,
	}
}

func (m *model) cellName() string {
	b := &m.board
	return b.source.Locks[b.lock.at] + ", " + b.source.Hazards[b.hazard.at]
}

// cellText is what is known of the cell at the cursor, and the line at which
// the chosen one of its broken invariants stands.
func (m *model) cellText(w int) (lines []string, chosen int) {
	b := &m.board
	c, text := b.here(), m.book.Text
	hazard := m.book.Hazard(b.source.Hazards[b.hazard.at])
	about := []render.Part{{Label: hazard.Name, Text: hazard.Says}}
	if b.whole {
		about = append(about, render.Part{Label: text("example"), Text: hazard.Example})
	}
	if c == nil {
		return append(render.Wrap(m.unknownText(), w), render.Parts(about, m.theme, w)...), 0
	}
	lines = m.verdictText(c, w)
	found, at := render.Findings(m.findings(c), b.chosen, m.theme, w)
	chosen = len(lines) + at
	lines = append(lines, found...)
	if f, ok := b.found(); ok {
		lines = append(lines, render.Wrap(m.violationLine(f.Violation), w)...)
	}
	parts := []render.Part{
		{Label: text("why"), Text: c.Reason}, {Label: text("cut_short"), Text: m.limit(c)},
		{Label: text("explored"), Text: m.book.Fill("explored_says", prose.TextFacts{N: c.States, Of: c.Transitions})},
		{Label: text("assumptions"), Text: c.Assumptions},
	}
	lines = append(lines, render.Parts(append(parts, about...), m.theme, w)...)
	if b.whole {
		lines = append(lines, m.provenText(c, w)...)
	}
	return lines, chosen
}

// unknownText says why there is nothing to say of a cell.
func (m *model) unknownText() string {
	b := &m.board
	says := m.book.Text("not_yet")
	switch {
	case b.err != nil:
		return m.errorLine()
	case b.verdicts()[b.at()].Verdict == render.Working:
		says = m.book.Text("working")
	}
	if len(m.ahead) > 0 {
		says += " " + m.book.Text("key_waits")
	}
	return says
}

// errorLine is the error that ended the computation, in one line.
func (m *model) errorLine() string {
	return m.theme.Glyphs.Bad + " " + m.book.Text("failed") + ": " + firstLine(m.board.err)
}

// limit is what cut a search short that has found something; the reason of
// another verdict says it already.
func (m *model) limit(c *Cell) string {
	if len(c.Found) == 0 || c.Limit == "" {
		return ""
	}
	return m.book.Fill("by_limit", prose.TextFacts{What: c.Limit})
}

// verdictText is the verdict in a sentence, under the sign that its cell has.
func (m *model) verdictText(c *Cell, w int) []string {
	says := m.book.Text(strings.ToLower(string(c.Verdict)))
	if says == "" {
		says = string(c.Verdict)
	}
	style := m.theme.Strong
	if c.Verdict == render.Violated {
		style = m.theme.Alarm
	}
	lines := render.Wrap(c.Verdict.Sign(m.theme)+" "+says, w)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

func (m *model) findings(c *Cell) []render.Finding {
	var out []render.Finding
	for _, f := range c.Found {
		shortest := "found_perhaps"
		if f.Shortest {
			shortest = "found_shortest"
		}
		out = append(out, render.Finding{
			Code: f.Code, Invariant: f.Violation.Invariant,
			Cost: strings.Join([]string{
				m.book.Fill("found_steps", prose.TextFacts{N: len(f.Schedule)}),
				m.book.Fill("found_faults", prose.TextFacts{N: f.Faults}), m.book.Text(shortest),
			}, ", "),
		})
	}
	return out
}

// violationLine says in one sentence who broke an invariant, and how.
func (m *model) violationLine(v history.Violation) string {
	return m.book.Violation(v.Prose(), prose.ViolationFacts{Client: v.Client, Other: v.Other, Key: v.Key, Detail: v.Detail})
}

// provenText says what a verdict proves: that none of the explored states
// breaks any invariant, or nothing.
func (m *model) provenText(c *Cell, w int) []string {
	proven := render.Part{Label: m.book.Text("proven")}
	if c.Verdict == render.Vacuous {
		proven.Text = m.book.Text("proven_nothing")
	}
	if c.Verdict != render.Holds {
		return render.Parts([]render.Part{proven}, m.theme, w)
	}
	proven.Text = m.book.Text("proven_says")
	parts := []render.Part{proven}
	for _, id := range history.Invariants {
		parts = append(parts, render.Part{Label: id, Text: m.book.Invariant(id).Says})
	}
	return render.Parts(parts, m.theme, w)
}

// wholeCell is the detail on a screen of its own.
func (m *model) wholeCell() []string {
	lines, _ := m.cellText(m.width)
	return append([]string{render.Heading(m.cellName(), m.theme, m.width)}, lines...)
}

// matrixStatus is how much is computed, and which part is to be seen if not
// all is.
func (m *model) matrixStatus() (left, right string) {
	b := &m.board
	left = m.book.Fill("cells", prose.TextFacts{N: b.done, Of: len(b.cells)})
	switch {
	case b.err != nil:
		left = m.errorLine()
	case len(m.stuck) > 0:
		left += "  " + m.running()
	}
	if b.whole {
		return left, ""
	}
	h := m.height - margins
	locks, hazards := m.table().Window(m.width, h-m.detailHeight(h)-1)
	var parts []string
	part := func(id string, s render.Span, of int) {
		if s.To-s.From < of {
			parts = append(parts, m.book.Fill(id, prose.TextFacts{From: s.From + 1, To: s.To, Of: of}))
		}
	}
	part("shown_locks", locks, b.lock.n)
	part("shown_hazards", hazards, b.hazard.n)
	return left, strings.Join(parts, ", ")
}

// matrixLegend says what the signs and codes of the table mean.
func (m *model) matrixLegend() []string {
	out := []string{""}
	for _, v := range []render.Verdict{render.Violated, render.Holds, render.Vacuous, render.Inconclusive} {
		out = append(out, m.verdictText(&Cell{Verdict: v}, m.width)...)
	}
	return append(out, render.Wrap(m.book.Text("codes"), m.width)...)
}
