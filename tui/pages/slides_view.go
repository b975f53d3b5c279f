package pages

import (
	"lockstep/scenarios"
	"lockstep/tui/render"
)

const (
	leastPane  = 6 // lines beside a text; with fewer it stands alone
	litLines   = 2 // of the source, below the lanes
	leastLanes = 7 // above them
)

// body draws the story at the cursor; in a talk, its current slide.
func (p *storyPage) body(w, h int) render.Lines {
	if p.talk == nil || p.run == nil {
		return p.viewer.body(w, h)
	}
	text := p.slideText(w)
	low := min(h-len(text)-1, max(leastPane, h*2/3))
	if s := p.now(); s.kind == cardSlide || low < leastPane {
		return p.show.show(text, h)
	}
	return append(text.Block(w, h-low), p.paneBelow(w, low)...)
}

// paneBelow draws the pane below the text. With the lanes it shows the lines of source
// that were done last and that are done next.
func (p *storyPage) paneBelow(w, h int) render.Lines {
	if p.talk.pane != stepsPane {
		name, lines := p.alone(p.talk.pane, w, h-1)
		return append(render.Lines{p.Heading(name, w)}, lines...)
	}
	title, code := p.code()
	if h < leastLanes+litLines+1 {
		_, lines := p.alone(stepsPane, w, h)
		return lines
	}
	_, lanes := p.alone(stepsPane, w, h-litLines-1)
	return append(append(lanes, p.heading(sourcePane, title, w)), p.Source(code, w, h-len(lanes)-1)...)
}

// slideText returns the text of the current slide.
func (p *storyPage) slideText(w int) (out render.Lines) {
	s := p.now()
	if s.kind == cardSlide {
		return p.violationText(w)
	}
	c := p.plainCaption(s)
	if p.run.Rows[s.row].Found != nil && s.kind == stepSlide {
		c.Hint = ""
	}
	out = append(render.Strong.Wrap(c.Text, w), render.Faint.Wrap(c.Hint, w)...)
	if q, known := p.question(s); q != nil {
		if len(out) > 0 {
			out = append(out, nil)
		}
		out = append(out, p.questionText(q, known != p.show.turned, s.kind == stepSlide && known && p.show.given == unsure, w)...)
	}
	if s.kind == stepSlide && len(p.run.Rows[s.row].Found) > 0 {
		f := p.run.Found[p.run.Rows[s.row].Found[0]]
		out = append(out, nil, render.Alarm.Line(render.Trim(p.Glyphs.Bad+" "+p.Violated(f.Invariant), w)))
		out = append(out, render.Strong.Wrap(p.violationLine(f.Violation), w)...)
	}
	return out
}

// plainCaption returns the caption at a slide without its questions, and whether the
// failure is intended.
func (p *storyPage) plainCaption(s slide) render.Caption {
	var c render.Caption
	at, step := s.row, p.run.Told(s.row)
	switch s.kind {
	case stepSlide:
		c.Hint = p.captionAt(s.row).Hint
	case askSlide:
		at++
		step = p.run.Step(at)
	}
	if step != nil {
		c.Text = p.captionOf(step, at)
	}
	return c
}

// questionText returns a question with its choices for the class, or its answer with
// the reasons, or in short.
func (p *storyPage) questionText(q *scenarios.Prediction, shown, short bool, w int) render.Lines {
	said := p.inWords(q)
	if shown && !short {
		return p.explained(said, p.show.given, said.Reasons(p.show.given), w)
	}
	ask := "? " + said.Ask
	if shown {
		ask += " -> " + said.Answer().Label
	}
	out := render.Ask.Wrap(ask, w)
	if shown {
		return out
	}
	for _, line := range p.answers(said.Choices, bracketed) {
		for _, part := range render.Wrap(line.Text(), w-2).Indent().Indent() {
			out = append(out, part.On(line[0].Press, 1))
		}
	}
	return out
}
