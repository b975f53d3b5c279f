package pages

import (
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A cellPage shows everything about the cell at the cursor of the matrix.
type cellPage struct {
	textPage
	matrix *matrixPage
}

func newCellPage(m *matrixPage) *cellPage {
	p := &cellPage{textPage{shared: m.shared}, m}
	p.text = func(w int) render.Lines {
		lines, _ := m.cellText(w, true)
		return append(render.Lines{m.Heading(m.cellName(), w)}, lines...)
	}
	return p
}

func (p *cellPage) title() (left, right string) { return p.matrix.title() }

func (p *cellPage) status() (left, right string) {
	if left, right = p.textPage.status(); left == "" {
		left = p.matrix.computed()
	}
	return left, right
}

func (p *cellPage) keys() []key { return append(p.textPage.keys(), p.matrix.cellKeys(true, back)...) }

func (p *cellPage) waits(name string) patience { return p.board.waits(name) }

func (p *cellPage) explains() render.Lines { return p.matrix.explains() }

func (p *matrixPage) cellName() string {
	b := p.board
	return p.List(b.source.Locks[b.lock.at], p.hazardNames()[b.hazard.at])
}

// cellText returns the text about the cell at the cursor, and the line of the chosen
// violation.
func (p *matrixPage) cellText(w int, whole bool) (lines render.Lines, chosen int) {
	b := p.board
	c := b.here()
	hazard := p.Hazard(b.source.Hazards[b.hazard.at])
	about := passages{{Label: hazard.Name, Text: p.EveryHazard(b.source.Hazards[b.hazard.at])}}
	if c != nil {
		about[0].Text = hazard.On(history.StoreOf(c.Config.Key()))
	}
	if whole {
		about = append(about, p.passage("example", hazard.Example))
	}
	if c == nil {
		return append(render.Wrap(p.unknownText(), w), p.Passages(about, w)...), 0
	}
	shown, _ := verdictOf(c)
	lines = p.verdictLine(shown, w)
	found, at := p.Findings(p.findings(c, whole), b.chosen, w)
	chosen = len(lines) + at
	lines = append(lines, found...)
	if f := b.found(); f != nil {
		lines = append(lines, render.Wrap(p.violationLine(f.Violation), w)...)
		lines = append(lines, p.Passages(passages{p.passage("allowed_since", p.in(f.Allowed))}, w)...)
	}
	verdict, reason := c.Verdict()
	if verdict == explore.Violated {
		reason = lang.Message{}
	}
	parts := passages{
		p.passage("why", p.in(reason)), p.passage("cut_short", p.limit(c)),
		p.passage("explored", p.Count("explored_says", c.States, c.Transitions)),
	}
	if whole {
		parts = append(parts, p.passage("assumptions", p.in(c.Assumptions())))
	}
	if parts = append(parts, about...); whole {
		parts = append(parts, p.proven(c))
	}
	return append(lines, p.Passages(parts, w)...), chosen
}

// unknownText returns why a cell has no verdict.
func (p *matrixPage) unknownText() string {
	b := p.board
	says := p.Text("not_yet")
	switch {
	case b.err != nil:
		return p.errorLine()
	case b.verdicts()[b.at()].Verdict == render.Working:
		says = p.Text("working")
	}
	if p.keyWaits {
		says += " " + p.Text("key_waits")
	}
	return says
}

// errorLine returns the error that ended the computation, in one line.
func (p *matrixPage) errorLine() string {
	return p.Glyphs.Bad + " " + p.Pair(p.Text("failed"), p.firstLine(p.board.err))
}

// limit returns the limit that ended a search with violations. For other verdicts the
// reason says it.
func (p *matrixPage) limit(c *explore.Report) string {
	if len(c.Found) == 0 || c.Limit == "" {
		return ""
	}
	return p.Gap("by_limit", p.in(lang.Word(c.Limit)))
}

// verdictLine returns a verdict as a sentence, with its sign.
func (p *matrixPage) verdictLine(verdict explore.Verdict, w int) render.Lines {
	says := p.Text(strings.ToLower(string(verdict)))
	if says == "" {
		says = string(verdict)
	}
	role := render.Strong
	if verdict == explore.Violated {
		role = render.Alarm
	}
	return role.Wrap(p.Sign(verdict)+" "+says, w)
}

// findings lists the violated invariants of a cell: by their harms or, on the page of
// the cell, by their codes.
func (p *matrixPage) findings(c *explore.Report, whole bool) []render.Finding {
	var out []render.Finding
	for i := range c.Found {
		f := &c.Found[i]
		shortest := "found_perhaps"
		if f.Shortest {
			shortest = "found_shortest"
		}
		says := p.Text("harm_" + string(history.HarmOf(f.Violation.Invariant)))
		if whole {
			says = c.Code(f)
		}
		found := render.Finding{
			Code: says, Invariant: p.InvariantName(f.Violation.Invariant),
			Cost: p.List(
				p.Count("found_actions", len(f.Schedule)),
				p.Count("found_faults", c.Faults(f)), p.Text(shortest),
			),
		}
		if p.Flow { // it has no columns
			found = render.Finding{Code: p.Pair(says, p.List(found.Invariant, found.Cost))}
		}
		out = append(out, found)
	}
	return out
}

// proven returns what a verdict proves: that no explored state violates any invariant, or
// nothing.
func (p *matrixPage) proven(c *explore.Report) lesson.Part {
	proven := lesson.Part{Label: p.Text("proven")}
	switch verdict, _ := c.Verdict(); verdict {
	case explore.Vacuous:
		proven.Text = p.Text("proven_nothing")
	case explore.Holds:
		var names []string
		for _, id := range history.Invariants() {
			names = append(names, p.InvariantName(id))
		}
		proven.Text = p.Fill("proven_says", facts{N: c.States, Of: len(names), Said: p.Names(names...)})
	}
	return proven
}

// explains says what the table's signs and codes mean.
func (p *matrixPage) explains() (out render.Lines) {
	for _, v := range []explore.Verdict{explore.Violated, explore.Holds, explore.Vacuous, explore.Inconclusive} {
		out = append(out, p.verdictLine(v, p.width)...)
	}
	out = append(out, render.Wrap(p.Text("harms"), p.width)...)
	return append(out, render.Wrap(p.Text("codes"), p.width)...)
}
