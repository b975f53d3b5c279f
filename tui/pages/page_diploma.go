package pages

import (
	"cmp"

	"lockstep/tui/render"
)

// newDiplomaPage returns the page that says what the learner has achieved in the course.
func newDiplomaPage(s *shared) page {
	return &textPage{
		shared: s, at: Place{Kind: "diploma"}, text: s.diploma,
		name: func() (left, right string) { return s.Text("diploma"), s.course.Title(s.lang) },
	}
}

func (p *shared) diploma(w int) render.Lines {
	d := p.progress.Diploma(p.course.Course, p.Book, p.lang)
	exercise := ""
	for _, c := range p.course.Chapters {
		exercise = cmp.Or(exercise, p.exercise(cmp.Or(c.Exercise, c.Lock)))
	}
	out := p.Passages(passages{
		p.passage("diploma_chapters", p.Count("n_of", d.Done, d.Chapters)),
		p.passage("diploma_answers", p.Count("n_of", d.Right, d.Asked)),
		p.passage("exercise", exercise),
		p.passage("end_own", p.Text("end_own_says")),
	}, w)
	list := func(title string, lines render.Lines) {
		if len(lines) > 0 {
			out = append(append(out, nil, p.Heading(p.Text(title), w)), lines...)
		}
	}
	var won, held render.Lines
	for _, level := range d.Won {
		won = append(won, render.Good.Wrap(p.Glyphs.Won+" "+p.Pair(level.Level, p.Count("diploma_moves", level.Moves, level.Fewest)), w)...)
	}
	for _, name := range d.Held {
		held = append(held, render.Good.Wrap(p.Glyphs.Right+" "+name, w)...)
	}
	list("diploma_won", won)
	list("diploma_held", held)
	out = append(out, nil)
	return append(out, render.Faint.Wrap(p.Text("diploma_export"), w)...)
}
