package pages

import (
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// showGoal opens the goal of a level and the hints so far in full. Above the moves there is
// not always room for them.
func (p *gamePage) showGoal() act {
	about := func() prose.Level { return p.game.level.About(p.Book, p.lang) }
	return push(&textPage{
		shared: p.shared,
		name:   func() (left, right string) { return p.Text("goal_and_hints"), about().Name },
		text: func(w int) render.Lines {
			parts := passages{p.passage("goal", about().Goal)}
			for i := range p.game.hints {
				parts = append(parts, p.hint(i+1))
			}
			if known := p.proof(); known != nil && p.game.isSettled() {
				parts = append(parts, p.passage("bounds", p.in(known.Assumptions)))
			}
			return p.Passages(parts, w)
		},
	})
}

// hint returns the nth hint of the level.
func (p *gamePage) hint(n int) lesson.Part {
	about := p.game.level.About(p.Book, p.lang)
	return lesson.Part{Label: p.Count("nth_hint", n, hintsOfALevel), Text: []string{about.Hint1, about.Hint2, about.Hint3}[n-1]}
}
