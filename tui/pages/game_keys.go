package pages

import (
	"cmp"

	"lockstep/internal/progress"
	"lockstep/sim/history"
)

var (
	pickKey   = keyOf("pick")
	undoKey   = keyOf("undo")
	followKey = keyOf("follow") // the explorer's moves
	giveUpKey = keyOf("giveUp")
	goalKey   = keyOf("goal")
)

func (p *gamePage) keys() []key {
	if p.failed != nil {
		return p.reader.keys()
	}
	if p.run == nil || p.wanted != nil {
		return append(p.toCauses(p.toCause), p.toCopy(), pickKey.act(nil)) // which waits
	}
	g := p.game
	if p.asks {
		return answering(p.reasons(), p.claimed)
	}
	found := len(p.run.Found) > 0
	keys := []key{
		nextKey.by(1, p.chooseViolation).when(found, "why_no_violation"),
		previousKey.by(-1, p.chooseViolation).when(found, "why_no_violation"),
	}
	keys = append(keys, p.toCauses(p.toCause)...)
	keys = append(keys, p.toIfOnly(),
		upKey.by(-1, p.upOrDown), downKey.by(1, p.upOrDown),
		cardKey.now(p.turnCard).when(found, "why_no_violation"),
		paneKey.now(p.nextPane).when(!p.covered()), p.toZoom(), p.toCopy())
	pick, runOn := pickKey.to(p.pick), keyOf("runOn").to(p.runOn).when(!p.covered() && p.showsMoves() && !g.gaveUp && g.choice() != nil && g.choice().Action.Verb == history.Step).when(!g.strays(), "why_guided")
	if g.held && p.onward != nil || p.isWon() {
		runOn = keyOf("runOn").to(p.onward)
		runOn.rank = 0 // another key leads there
	}
	if p.isWon() {
		pick = pick.says(cmp.Or(p.leads, "next_level"))
	} else if p.covered() || !p.showsMoves() {
		pick = pick.says("moves")
	} else {
		pick = pick.when(g.choice() != nil, map[bool]string{true: "no_moves_settled", false: "no_moves"}[g.isSettled()])
	}
	redo := keyOf("redo")
	if g.gaveUp {
		redo = followKey
	}
	noRedo := ""
	if g.level != nil && g.isSettled() && p.onward != nil {
		noRedo = "why_no_redo"
	}
	several := len(g.branches()) > 1
	keys = append(keys, pick, runOn,
		undoKey.to(func() act { return p.visit(g.at.parent) }).when(g.at.parent != nil), redo.to(func() act { return p.visit(g.next()) }).when(g.next() != nil, noRedo),
		keyOf("root").to(func() act { return p.visit(g.root) }), keyOf("tip").to(func() act { return p.visit(g.tip) }),
		keyOf("branch").to(func() act { return p.toBranch(1) }).when(several),
		keyOf("branchBefore").to(func() act { return p.toBranch(-1) }).when(several))
	if g.level == nil {
		return keys
	}
	next, ways, goal := keyOf("nextLevel"), compareKey, goalKey
	if p.isCut() {
		goal.rank = 27
	}
	ways.rank = 26
	if next.rank = 17; !g.isSettled() { // there is something left to pick for
		next.rank = 190
	}
	if p.leads != "" {
		next = next.says(p.leads)
	}
	if p.isWon() {
		next.rank = 0 // another key leads there
	}
	return append(keys,
		keyOf("hint").now(func() { g.hints++ }).when(g.hints < hintsOfALevel && !g.isSettled()),
		goal.to(p.showGoal),
		keyOf("claim").to(p.claim).when(!g.isSettled()),
		ways.to(p.showWays).when(g.goal != nil && p.proof() != nil && p.proof().Schedule != nil),
		giveUpKey.to(func() act {
			return ask(p.Gap("give_up_ask", p.named(confirmKey)), confirmKey.to(func() act {
				g.gaveUp = true // the explorer's answer comes as soon as it is done
				return p.keepRecord(progress.Level{GaveUp: true})
			}))
		}).when(!g.isSettled() && p.levels.search != nil),
		next.to(func() act { return p.onward() }).when(p.onward != nil))
}

// upOrDown scrolls the card, or chooses a move if the moves are visible.
func (p *gamePage) upOrDown(by int) {
	switch {
	case p.covered():
		p.move(by)
	case p.showsMoves():
		p.game.choose(by)
	}
}

// toCause goes to the position after the move that led to a cause.
func (p *gamePage) toCause(row int) act {
	if n := p.run.Picks(row); n > 0 && n < p.game.at.depth {
		return p.visit(p.game.at.path()[n-1])
	}
	return nil
}
