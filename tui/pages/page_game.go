package pages

import (
	"context"
	"slices"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A gamePage is a game at one of its positions: the learner picks the next action, in a
// run that was taken over or in a level. The game itself outlives the page (game.go).
type gamePage struct {
	viewer
	game   *game
	name   func() string // of what was taken over; nil in a level
	onward func() act    // to the next level; nil if there is none
	leads  string        // says where onward leads; "" for the next level
	wanted *node         // the position that is being looked up; nil if none is
	asks   bool          // why nobody can reach the goal
	runs   bool          // the client that the learner plays goes on to its next command
}

// newGamePage returns the page of the open game at a node.
func newGamePage(s *shared, name func() string, at *node) *gamePage {
	p := &gamePage{viewer: viewer{failing: failing{shared: s}, pane: movesPane}, game: s.game, name: name, wanted: at}
	p.host = p
	return p
}

// fork lets the learner take over the current run from the cursor on. Taking it over
// again elsewhere continues the same game.
func (p *storyPage) fork() act {
	p.pause()
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
	if picks := p.run.Picks(p.at); picks > 0 {
		at = g.plant(p.run.History.Schedule[:picks], byStory)
	}
	return push(newGamePage(p.shared, p.name, at))
}

// shownPicks returns after how many picks the last event of a run happened.
func shownPicks(r *lesson.Run) int {
	if to := r.Rows[len(r.Rows)-1].To; to > 0 {
		return r.History.Events[to-1].Pick + 1
	}
	return 0
}

// opened goes to the wanted position.
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

// visit goes to a node and looks up its position if it is unknown.
func (p *gamePage) visit(n *node) act {
	p.wanted = n
	if n.position != nil {
		p.showNode(n)
		return all(p.goOn(), p.seek())
	}
	config, schedule, level := p.game.config, n.schedule(), p.game.level
	return begin(func(ctx context.Context) act {
		position, err := scenarios.Look(ctx, config, schedule, level)
		return func(s *Shell) Cmd { return s.do(p.isKnown(n, position, err)) }
	})
}

// isKnown shows a position that was looked up, unless another one is wanted meanwhile.
func (p *gamePage) isKnown(n *node, position *scenarios.Position, err error) act {
	if n != p.wanted {
		return nil
	}
	if p.failed = err; err != nil {
		p.run = nil
		return nil
	}
	n.position, n.found = position, position.Violations
	p.showNode(n)
	return all(p.score(n), p.goOn(), p.seek())
}

// runOn lets the client of the chosen move go on to its next command.
func (p *gamePage) runOn() act {
	p.runs = true
	return p.perform()
}

// goOn picks the next step of a client that runs, unless it is a command, or something has
// been violated.
func (p *gamePage) goOn() act {
	move := p.game.choice()
	p.runs = p.runs && move != nil && move.Action.Verb == history.Step && move.Action.Client == p.game.playing && !p.isCommand(move) && len(p.game.at.fresh()) == 0
	if !p.runs {
		return nil
	}
	return p.perform()
}

func (p *gamePage) settle() act {
	shown := p.showShortest()
	if p.run != nil {
		p.lines = len(p.captionLines(p.width))
	}
	return all(shown, p.settled())
}

// waits lets keys for pages pass while a position is looked up; other keys are not
// meant for the old position.
func (p *gamePage) waits(name string) patience {
	if p.failed == nil && p.wanted != nil && (p.run != nil || !backKey.is(name)) {
		return inTurn
	}
	return atOnce
}

// showNode shows a position, with the card of what its last action violates. In a
// level, only the goal covers the moves; the rest is in the status. Nothing covers the
// tree while the learner looks at it.
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
	if len(fresh) > 0 {
		p.violation = fresh[0]
	}
	if g.reaches(n) {
		p.violation = slices.IndexFunc(n.found, func(v history.Violation) bool { return v.Invariant == g.level.Goal })
		p.card = mayCover
	}
}

// pick performs the chosen move, or uncovers the moves if they are covered. Where the goal has
// just been reached, it goes on to what follows the level.
func (p *gamePage) pick() act {
	if p.isWon() {
		return p.onward()
	}
	if p.covered() || !p.showsMoves() {
		p.card, p.pane = false, movesPane
		return nil
	}
	return p.perform()
}

// perform performs the chosen move.
func (p *gamePage) perform() act {
	move := p.game.choice()
	if move == nil {
		return nil
	}
	if p.game.playing = move.Action.Client; move.Action.Verb != history.Step {
		p.runs = false
	}
	n := p.game.at.child(move.Action, byLearner)
	n.picked = move
	return all(p.isTried(), p.visit(n))
}

// ends: a level of a chapter has a beginning to step over, but no end.
func (p *gamePage) ends() (start, end, failed bool) {
	return p.game.at == nil || p.game.at.parent == nil, false, p.failed != nil
}

// toBranch goes to the end of the next or previous branch. The branch becomes current
// on arrival, not during the lookup.
func (p *gamePage) toBranch(by int) act {
	list := p.game.branches()
	return p.visit(list[(p.game.branchAt(list)+by+len(list))%len(list)].tip)
}

// chooseViolation shows the card of the next or previous violation.
func (p *gamePage) chooseViolation(by int) {
	if !p.card {
		by = 0
	}
	choice := menu{p.violation, len(p.run.Found)}
	choice.move(by)
	p.card, p.violation, p.from = true, choice.at, 0
}
