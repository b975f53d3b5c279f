package pages

import (
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// A goalPage shows the goal of a level and the hints so far in full. Above the moves
// there is not always room for them.
type goalPage struct {
	textPage
	game *game
}

func (p *gamePage) showGoal() act {
	g := &goalPage{textPage: textPage{shared: p.shared}, game: p.game}
	g.text = g.lines
	return push(g)
}

func (p *goalPage) title() (left, right string) {
	return p.book.Text("goal_and_hints"), p.game.level.About(p.book, p.lang).Name
}

func (p *goalPage) lines(w int) []render.Line {
	about := p.game.level.About(p.book, p.lang)
	parts := []lesson.Part{{Label: p.book.Text("goal"), Text: about.Goal}}
	for i, hint := range []string{about.Hint1, about.Hint2, about.Hint3}[:p.game.hints] {
		parts = append(parts, p.hint(i+1, hint))
	}
	return render.Parts(parts, p.theme, w)
}

// hint returns the nth hint of a level.
func (s *shared) hint(n int, text string) lesson.Part {
	return lesson.Part{Label: s.book.Fill("nth_hint", prose.TextFacts{N: n, Of: hintsOfALevel}), Text: text}
}
