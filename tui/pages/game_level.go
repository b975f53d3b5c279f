package pages

import (
	"context"
	"strconv"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// hintsOfALevel is how many hints a level has.
const hintsOfALevel = 3

// superfluous says which moves of a schedule that reached its goal could be left
// out.
type superfluous struct {
	goal  *node
	moves []int
}

// proof returns what is known of the level; nil if nothing is yet.
func (p *gamePage) proof() *Proof {
	if p.game.level == nil {
		return nil
	}
	if known := p.levels.proofs[p.game.level.ID]; known != nil {
		return known.proof
	}
	return nil
}

// score notes that the learner has reached the goal with this move, and asks
// which moves were needed. What the explorer shows is no merit.
func (p *gamePage) score(n *node) act {
	g := p.game
	if g.level == nil || n.parent == nil || n.origin != byLearner || !n.breaks(g.level.Goal) || n.parent.breaks(g.level.Goal) {
		return nil
	}
	g.goal, g.superfluous = n, nil
	faults, _ := g.level.Spent(n.schedule())
	kept := p.keepRecord(progress.Level{Moves: n.depth, Faults: faults, GaveUp: g.gaveUp})
	config, schedule, level := g.config, n.schedule(), g.level
	return all(kept, last(g, func(ctx context.Context) any {
		moves, err := scenarios.Superfluous(ctx, config, schedule, level.Goal, level)
		if err != nil {
			return nil // the program ends
		}
		return superfluous{n, moves}
	}))
}

// told takes which moves to the goal could be left out.
func (g *game) told(answer any) act {
	s, ok := answer.(superfluous)
	if !ok || g.goal != s.goal {
		return nil
	}
	g.superfluous = map[int]bool{}
	for _, i := range s.moves {
		g.superfluous[i] = true
	}
	return nil
}

// keepRecord notes a result of the level.
func (p *gamePage) keepRecord(r progress.Level) act {
	return p.note(progress.Progress{Levels: map[string]progress.Level{p.game.level.ID: r}})
}

// isTried notes that the level was tried, if that is news.
func (p *gamePage) isTried() act {
	if l := p.game.level; l == nil {
		return nil
	} else if _, tried := p.progress.Levels[l.ID]; tried {
		return nil
	}
	return p.keepRecord(progress.Level{})
}

// claim takes the learner's word that nobody can reach the goal. Where somebody
// can, it does not say how.
func (p *gamePage) claim() act {
	g := p.game
	kept := p.keepRecord(progress.Level{Claimed: true})
	if g.level.Par > 0 {
		return all(kept, say(p.book.Text("claim_wrong")))
	}
	g.held = true
	return kept
}

// isSettled says whether there is nothing left to find out in the level.
func (g *game) isSettled() bool { return g.gaveUp || g.held || g.goal != nil }

// giveUp shows the shortest schedule from its beginning, or the proof that
// there is none, as soon as the explorer is done.
func (p *gamePage) giveUp() act {
	p.game.gaveUp = true
	return p.keepRecord(progress.Level{GaveUp: true})
}

// showShortest goes to the start of the explorer's branch, once it is known to
// one who gave up.
func (p *gamePage) showShortest() act {
	known, g := p.proof(), p.game
	if !g.gaveUp || g.shown || known == nil || known.Schedule == nil {
		return nil
	}
	g.shown = true
	tip := g.plant(known.Schedule, byExplorer)
	if tip.position == nil && len(tip.found) == 0 {
		tip.found = []history.Violation{{Invariant: g.level.Goal}}
	}
	g.tip = tip
	return p.visit(g.root)
}

// onCard begins the card of a reached goal with the moves that could be left
// out; the caption has the result.
func (p *gamePage) onCard(invariant string) remarks {
	g := p.game
	if g.level == nil || g.goal == nil || invariant != g.level.Goal || !g.goal.before(g.at) {
		return remarks{}
	}
	return remarks{first: []lesson.Part{{Label: p.book.Text("superfluous"), Text: p.superfluousText()}}}
}

// captionLines are what stands above a game: the goal, what there is to help,
// and how it went; at most a third of the body.
func (p *gamePage) captionLines(w int) []render.Line {
	g := p.game
	if g.level == nil {
		return p.atMost(render.Wrap(p.book.Text("take_over"), w))
	}
	return p.atMost(p.levelLines(w))
}

// levelLines are those of a level, however many.
func (p *gamePage) levelLines(w int) []render.Line {
	g := p.game
	about := g.level.About(p.book, p.lang)
	parts := []lesson.Part{{Label: p.book.Text("goal"), Text: about.Goal}}
	if text := p.outcome(); text != "" {
		parts = append([]lesson.Part{{Label: p.book.Text("result"), Text: text}}, parts...)
	} else if g.hints > 0 {
		parts = append(parts, p.hint(g.hints, []string{about.Hint1, about.Hint2, about.Hint3}[g.hints-1]))
	}
	beside := p.theme
	beside.Airy = false // the panes want the room
	return render.Parts(parts, beside, w)
}

func (p *gamePage) atMost(lines []render.Line) []render.Line {
	return render.Cut(lines, p.width, max(2, p.room()/3))
}

// isCut says whether the goal and the hint have no room above the moves.
func (p *gamePage) isCut() bool {
	lines := p.levelLines(p.width)
	return len(p.atMost(lines)) < len(lines)
}

// outcome says that the goal is reached, or what the explorer says to those
// who gave up; "" while the game is open.
func (p *gamePage) outcome() string {
	g, faults := p.game, 0
	if g.goal != nil {
		faults, _ = g.level.Spent(g.goal.schedule())
	}
	switch {
	case g.goal != nil && g.goal.before(g.at):
		return p.book.Pair(p.book.Text("goal_reached"), p.resultText(g.level, progress.Level{Moves: g.goal.depth, Faults: faults}))
	case g.held:
		return p.book.Fill("claim_right", prose.TextFacts{Said: p.searchText()})
	case g.gaveUp:
		return p.searchText()
	}
	return ""
}

// searchText is what the explorer says of the level.
func (p *gamePage) searchText() string {
	g, known := p.game, p.proof()
	switch {
	case p.levels.search == nil:
		return p.book.Text("nobody_knows")
	case p.levels.proofs[g.level.ID].err != nil:
		return p.book.Pair(p.book.Text("failed"), p.firstLine(p.levels.proofs[g.level.ID].err))
	case known == nil:
		return p.book.Text("still_searching")
	case known.Schedule != nil:
		return p.book.Fill("shown_shortest", prose.TextFacts{N: len(known.Schedule)})
	case known.Limit != "":
		return p.book.Fill("proof_cut_short", prose.TextFacts{N: known.States, What: p.in(known.Limit)})
	}
	return p.book.Fill("proof_nobody", prose.TextFacts{N: known.States, What: p.in(known.Assumptions)})
}

// superfluousText lists the learner's moves that could be left out; "" while that
// is not known.
func (p *gamePage) superfluousText() string {
	g := p.game
	if g.superfluous == nil {
		return ""
	}
	var words []any
	for i, n := range g.goal.path() {
		if g.superfluous[i] {
			words = append(words, strconv.Itoa(i+1)+" "+p.wordsOf(n))
		}
	}
	if len(words) == 0 {
		return p.book.Text("superfluous_none")
	}
	return p.in(lang.Join("; ", words...))
}

// wordsOf is what led to a node, as the learner read it.
func (p *gamePage) wordsOf(n *node) string {
	if n.picked == nil {
		return n.action.String()
	}
	return p.moveText(*n.picked)
}
