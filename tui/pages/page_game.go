package pages

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A gamePage is a game at one of its positions: the learner picks what happens
// next, in a run that was taken over or in a level. The game itself outlives it
// (game.go).
type gamePage struct {
	viewer
	game   *game
	name   func() string // of what was taken over; nil in a level
	onward func() act    // to the next level; nil if there is none
	wanted *node         // the position that is being looked up; nil if none is
}

// foundOut is what a position's lookup gave. It is of no use if another one is
// wanted meanwhile.
type foundOut struct {
	node     *node
	position *scenarios.Position
	err      error
}

// newGamePage is the open game at a node.
func newGamePage(s *shared, name func() string, at *node) *gamePage {
	p := &gamePage{viewer: viewer{shared: s, pane: movesPane}, game: s.game, name: name, wanted: at}
	p.around = p
	return p
}

// fork lets the learner pick what happens next in the run that is shown,
// from the cursor on. Taken over once more, elsewhere, it is the same game.
func (p *storyPage) fork() act {
	p.player.pause()
	if p.game == nil || p.game.source != p.run {
		h := p.run.History
		var found []history.Violation
		for _, f := range p.run.Found {
			found = append(found, f.Violation)
		}
		p.game = newGame(h.Config, nil, h.Schedule, found)
		p.game.source = p.run
	}
	g := p.game
	g.revealed = g.revealed || p.revealed()
	at := g.root
	if picks := picksTo(p.run, p.player.at); picks > 0 {
		at = g.plant(p.run.History.Schedule[:picks], byStory)
	}
	return push(newGamePage(p.shared, p.name, at))
}

// picksTo is how many actions of a run's schedule lead to the end of a row.
// Several rows may come of one action: it is played to its end.
func picksTo(r *lesson.Run, at int) int {
	switch to := r.Rows[at].To; {
	case at == len(r.Rows)-1:
		return len(r.History.Schedule) // with actions that led to no event
	case to > 0:
		return r.History.Events[to-1].Pick + 1
	}
	return 0
}

// opened goes to where the game is wanted.
func (p *gamePage) opened() act {
	p.askAgain()
	var visit act
	if p.wanted != nil && p.failed == nil {
		visit = p.visit(p.wanted)
	}
	if p.game.level == nil {
		return visit
	}
	return all(visit, p.levels.prove(p.game.level))
}

// visit goes to a node. A position that is not known is looked up meanwhile.
func (p *gamePage) visit(n *node) act {
	p.wanted = n
	if n.position != nil {
		p.showNode(n)
		return nil
	}
	config, schedule, level := p.game.config, n.schedule(), p.game.level
	return begin(func(ctx context.Context) any {
		position, err := scenarios.Look(ctx, config, schedule, level)
		return foundOut{n, position, err}
	})
}

func (p *gamePage) told(answer any) act {
	switch answer := answer.(type) {
	case explained:
		p.isExplained(answer)
	case foundOut:
		return p.isKnown(answer)
	}
	return nil
}

func (p *gamePage) isKnown(msg foundOut) act {
	if msg.node != p.wanted {
		return nil
	}
	if p.failed = msg.err; p.failed != nil {
		return nil
	}
	msg.node.position, msg.node.found = msg.position, msg.position.Violations
	p.showNode(msg.node)
	return p.score(msg.node)
}

func (p *gamePage) settle() act {
	shown := p.showShortest()
	if p.run != nil {
		p.lines = len(p.captionLines(p.width))
	}
	return all(shown, p.settled())
}

// waits: who waits for a page may leave it, but a position that is shown is not
// what the next key is for.
func (p *gamePage) waits(name string) patience {
	if p.failed == nil && p.wanted != nil && (p.run != nil || !backKey.is(name)) {
		return inTurn
	}
	return atOnce
}

// showNode shows a position, with the card of what its last action broke. In a
// level only the goal is worth covering the moves; the rest stands in the status.
// Nothing covers the tree for those who look at it.
func (p *gamePage) showNode(n *node) {
	g := p.game
	g.arrive(n)
	p.wanted = nil
	p.run, p.accounts = lesson.Of(n.position.Result), nil
	p.player = newPlayer(len(p.run.Rows), len(p.run.Rows)-1)
	fresh := n.fresh()
	mayCover := p.pane != branchesPane
	p.card, p.from = len(fresh) > 0 && g.level == nil && mayCover, 0
	p.violation = max(0, len(n.found)-1) // for the card, should it be asked for
	for i, f := range fresh {
		goal := g.level != nil && n.found[f].Invariant == g.level.Goal
		if i == 0 || goal {
			p.violation = f
		}
		p.card = p.card || goal && mayCover
	}
}

// pick performs the chosen move; where the moves are covered, it uncovers them.
func (p *gamePage) pick() act {
	if p.covered() || !p.showsMoves() {
		p.card, p.pane = false, movesPane
		return nil
	}
	move := p.game.choice()
	if move == nil {
		return nil
	}
	n := p.game.at.child(move.Action, byLearner)
	n.picked = move
	return all(p.isTried(), p.visit(n))
}

// ends: a level of a chapter has no end to step over, but a beginning.
func (p *gamePage) ends() (start, end, failed bool) {
	return p.game.at == nil || p.game.at.parent == nil, false, p.failed != nil
}

// undo goes one move back; what came after stays where it is.
func (p *gamePage) undo() act {
	if before := p.game.at.parent; before != nil {
		return p.visit(before)
	}
	return nil
}

// redo goes one move on along the present branch.
func (p *gamePage) redo() act {
	if n := p.game.next(); n != nil {
		return p.visit(n)
	}
	return nil
}

// toBranch goes to the end of the branch after the present one or before it.
// The branch is the present one on arrival, not while its end is looked up.
func (p *gamePage) toBranch(by int) act {
	list := p.game.branches()
	return p.visit(list[(p.game.branchAt(list)+by+len(list))%len(list)].tip)
}

// chooseViolation shows the card of the next violation of the run, or of the
// one before.
func (p *gamePage) chooseViolation(by int) {
	if !p.card {
		by = 0
	}
	choice := menu{p.violation, len(p.run.Found)}
	choice.move(by)
	p.card, p.violation, p.from = true, choice.at, 0
}
