package pages

import (
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

var diplomaKey = newKey(learning, 98, "diploma", "D")

// A diplomaPage says what the learner has achieved in the course.
type diplomaPage struct{ textPage }

func newDiplomaPage(s *shared) *diplomaPage {
	p := &diplomaPage{textPage{shared: s}}
	p.text = p.lines
	return p
}

func (p *diplomaPage) title() (left, right string) {
	return p.book.Text("diploma"), p.course.Title(p.lang)
}

func (p *diplomaPage) lines(w int) []render.Line {
	d, err := p.progress.Diploma(p.course.Course, p.book, p.lang)
	if err != nil {
		return render.Wrap(p.in(err), w)
	}
	out := render.Parts([]lesson.Part{
		{Label: p.book.Text("diploma_chapters"), Text: p.book.Fill("n_of", prose.TextFacts{N: d.Done, Of: d.Chapters})},
		{Label: p.book.Text("diploma_answers"), Text: p.book.Fill("n_of", prose.TextFacts{N: d.Right, Of: d.Asked})},
	}, p.theme, w)
	list := func(title string, n int) {
		if n > 0 {
			out = append(out, nil, render.Heading(p.book.Text(title), p.theme, w))
		}
	}
	list("diploma_won", len(d.Won))
	for _, won := range d.Won {
		out = append(out, render.Good.Wrap(p.theme.Won+" "+p.book.Pair(won.Level, p.book.Fill("diploma_moves", prose.TextFacts{N: won.Moves, Of: won.Fewest})), w)...)
	}
	list("diploma_held", len(d.Held))
	for _, name := range d.Held {
		out = append(out, render.Good.Wrap(p.theme.Right+" "+name, w)...)
	}
	out = append(out, nil)
	return append(out, render.Faint.Wrap(p.book.Text("diploma_export"), w)...)
}
