package export

import (
	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
)

// Diploma writes what a learner has achieved in a course, as Markdown.
func Diploma(language string, c *course.Course, p progress.Progress) ([]byte, error) {
	book, err := prose.Load(language)
	if err != nil {
		return nil, err
	}
	d, err := p.Diploma(c, book, language)
	if err != nil {
		return nil, err
	}
	var m markdown
	text := func(id string) string { return inMarkdown(book.Text(id)) }
	m.heading(1, book.Pair(book.Text("diploma"), c.Title(language)))
	fact := func(label string, n, of int) {
		m.say("%s", book.Pair("**"+text(label)+"**", book.Fill("n_of", prose.TextFacts{N: n, Of: of})))
	}
	fact("diploma_chapters", d.Done, d.Chapters)
	fact("diploma_answers", d.Right, d.Asked)
	list := func(title string, n int, item func(i int) string) {
		if n == 0 {
			return
		}
		m.heading(2, book.Text(title))
		for i := range n {
			m.out.WriteString("- " + inMarkdown(item(i)) + "\n")
		}
		m.out.WriteString("\n")
	}
	list("diploma_won", len(d.Won), func(i int) string {
		w := d.Won[i]
		return book.Pair(w.Level, book.Fill("diploma_moves", prose.TextFacts{N: w.Moves, Of: w.Fewest}))
	})
	list("diploma_held", len(d.Held), func(i int) string { return d.Held[i] })
	m.say("%s", text("export_made"))
	return m.bytes(), nil
}
