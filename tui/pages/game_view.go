package pages

import (
	"strings"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// The panes of a game. A wide terminal always shows the last two besides the others.
const (
	movesPane pane = panes + iota
	branchesPane
)

// title returns the lock, and the level or run.
func (p *gamePage) title() (left, right string) {
	name := p.name
	if level := p.game.level; level != nil {
		name = func() string { return level.About(p.Book, p.lang).Name }
	}
	return p.lockName(p.game.config.Strategy), p.Pair(p.Text("you_pick"), name())
}

// status returns the learner's position, and what the rules still allow.
func (p *gamePage) status() (left, right string) {
	if trouble := p.trouble(p.run != nil); trouble != "" {
		return trouble, ""
	}
	g := p.game
	left = p.Count("at_move", g.at.depth, g.tip.depth)
	if g.at.parent != nil && p.width >= 70 && shownPicks(p.run) < g.at.depth { // no row shows the move
		left = p.With(left, p.wordsOf(g.at))
	}
	left += "  t=" + p.run.Time(p.at).String()
	var broken []string
	for _, i := range g.at.fresh() {
		mark := p.Glyphs.Bad
		if g.reaches(g.at) && g.at.found[i].Invariant == g.level.Goal {
			mark = p.Glyphs.Won
		}
		broken = append(broken, mark+" "+p.InvariantName(g.at.found[i].Invariant))
	}
	if len(broken) > 0 {
		left += "  " + p.Gap("broken_now", strings.Join(broken, "  "))
	}
	if p.wanted != nil {
		left += "  " + p.running()
	}
	var parts []string
	if l := g.level; l != nil {
		faults, times := l.Spent(g.at.schedule())
		for _, of := range []struct {
			id     string
			n, all int
		}{{"spent_faults", faults, l.Faults}, {"spent_time", times, l.Times}} {
			if of.all > 0 {
				parts = append(parts, p.Count(of.id, of.n, of.all))
			}
		}
	}
	if list := g.branches(); len(list) > 1 {
		parts = append(parts, p.Count("nth_branch", g.branchAt(list)+1, len(list)))
	}
	return left, p.List(parts...)
}

// place returns the token of the picked moves.
func (p *gamePage) place() (facts, bool) {
	if p.run == nil {
		return facts{}, false
	}
	return p.byToken(p.run.History.Config, p.run.History.Schedule)
}

// Methods for the viewer.

// lesson: a game has no text of its own.
func (p *gamePage) lesson() *scenarios.Lesson { return nil }

func (p *gamePage) panes() []pane { return []pane{movesPane, branchesPane} }

// leftPane returns the moves, or the tree.
func (p *gamePage) leftPane(w, h int) (name string, lines render.Lines, ok bool) {
	if p.pane == sourcePane {
		return "", nil, false
	}
	name, lines = p.gamePane(w, h)
	return name, lines, true
}

// gamePane returns the pane of moves, or the tree.
func (p *gamePage) gamePane(w, h int) (name string, lines render.Lines) {
	g := p.game
	if p.pane == branchesPane {
		return p.Text("branches"), p.Branches(p.branchLines(), w, h)
	}
	name = p.Text("moves")
	list := p.moveLines()
	if len(list) > h { // it is seen that there are more
		name = p.Count("nth_move", g.chosen+1, len(list))
	}
	if next := g.next(); next != nil {
		name = p.With(name, p.Count("moves_later", g.tip.depth-g.at.depth))
	}
	if g.choice() != nil {
		return name, p.Moves(list, g.chosen, w, h)
	}
	none := "no_moves"
	if g.isSettled() {
		none = "no_moves_settled"
	}
	lines = render.Wrap(p.Text(none), w)
	return name, append(lines, p.Moves(list, g.chosen, w, h-len(lines))...)
}

// violationsHere considers all violations of the run, since the cursor stays at its
// end.
func (p *gamePage) violationsHere() bool { return len(p.run.Found) > 0 }

func (p *gamePage) aboutAnswers(int) render.Lines { return nil }

func (p *gamePage) revealed() bool {
	return p.game.revealed || p.game.gaveUp || len(p.run.Found) > 0
}

func (p *gamePage) asksNow() bool { return false }

// ahead is the client of the chosen move; where that is none of a client, the last that acted.
func (p *gamePage) ahead() string {
	if move := p.game.choice(); move != nil && move.Action.Client != "" {
		return history.StrandName(move.Action.Client, move.Action.Strand)
	}
	return p.here().Who
}

// showsMoves reports whether the moves are visible, apart from a card. A wide terminal
// shows the last two panes beside them.
func (p *gamePage) showsMoves() bool {
	return p.pane != sourcePane && p.pane != branchesPane && (p.pane == movesPane || !p.isNarrow() && !p.zoomed)
}
