package pages

import (
	"cmp"
	"context"
	"sort"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// hintsOfALevel is how many hints a level has.
const hintsOfALevel = 3

// proof returns the proof about the level; nil if there is none yet.
func (p *gamePage) proof() *Proof {
	if p.game.level == nil {
		return nil
	}
	if known := p.levels.proofs[p.game.level.ID]; known != nil {
		return known.proof
	}
	return nil
}

// score records that the learner has reached the goal with this move, and finds out
// which moves were needed. The explorer's own moves do not count.
func (p *gamePage) score(n *node) act {
	g := p.game
	if n.origin != byLearner || !g.reaches(n) {
		return nil
	}
	g.goal, g.superfluous = n, nil
	faults, _ := g.level.Spent(n.schedule())
	kept := p.keepRecord(progress.Level{Moves: n.depth, Faults: faults, GaveUp: g.gaveUp})
	config, schedule, level := g.config, n.schedule(), g.level
	return all(kept, last(func(ctx context.Context) act {
		moves, err := scenarios.Superfluous(ctx, config, schedule, level.Target, level)
		return func(*Shell) Cmd {
			if err != nil || g.goal != n { // the program ends, or there is another way
				return nil
			}
			g.superfluous = append([]int{}, moves...)
			return nil
		}
	}))
}

// reaches reports whether the last move to a node has reached the level's goal.
func (g *game) reaches(n *node) bool {
	return g.level != nil && n.parent != nil && g.level.Reached(n.found) && !g.level.Reached(n.parent.found)
}

// keepRecord saves a result of the level.
func (p *gamePage) keepRecord(r progress.Level) act {
	return p.note(progress.Progress{Levels: map[string]progress.Level{p.game.level.ID: r}})
}

// isTried saves that the level was tried, if that is new.
func (p *gamePage) isTried() act {
	if l := p.game.level; l == nil {
		return nil
	} else if _, tried := p.progress.Levels[l.ID]; tried {
		return nil
	}
	return p.keepRecord(progress.Level{})
}

// reasonsFor has, by the goal, digits of reasons for which nobody can reach it: the one of a
// level that the explorer has proven, and those among which a claim chooses.
var reasonsFor = map[string]string{
	history.MutualExclusion: "3235", history.ForeignRelease: "1128", history.LockRecovers: "4459",
	history.StaleWrite: "2257", history.LostUpdate: "2257", history.Leak: "6256",
}

// reasonDigits returns those of the level; the first is 0 if it is not known.
func (p *gamePage) reasonDigits() string {
	l := p.game.level
	digits := cmp.Or(reasonsFor[l.Goal], "0135")
	if l.Hazard != "" {
		return digits
	}
	why := strconv.Itoa(l.Why)
	if l.Why > 0 && !strings.Contains(digits[1:], why) {
		return why + why + digits[2:]
	}
	return why + digits[1:]
}

// reasons are those among which a claim that nobody can reach the goal chooses.
func (p *gamePage) reasons() []lesson.Choice {
	return p.choicesOf("claim_reason_", p.reasonDigits()[1:], facts{})
}

// claim asks why nobody can reach the goal. In a talk it asks nothing: the keys of answers are
// those of the talk.
func (p *gamePage) claim() act {
	if p.asks = p.talk == nil; p.asks {
		return nil
	}
	return p.judge()
}

// claimed judges a claim for a reason, unless the learner knows none.
func (p *gamePage) claimed(reason string) act {
	p.asks, p.game.reason = false, reason
	if reason == unsure {
		return nil
	}
	return p.judge()
}

// judge records the claim that nobody can reach the goal. If somebody can, it does not show how.
func (p *gamePage) judge() act {
	g := p.game
	kept := p.keepRecord(progress.Level{Claimed: true})
	if g.level.Par > 0 {
		return all(kept, say(p.Gap("claim_wrong", p.named(giveUpKey))))
	}
	g.held = true
	return kept
}

// isWon reports whether the last move has reached the goal, and something follows.
func (p *gamePage) isWon() bool {
	return p.game.goal != nil && p.game.goal == p.game.at && p.onward != nil
}

// isSettled reports whether the level has nothing left to find out.
func (g *game) isSettled() bool { return g.gaveUp || g.held || g.goal != nil }

// showShortest goes to the start of the explorer's branch, for a learner who gave up.
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

// onCard returns the moves that could be left out, for the card of a reached goal; the
// caption has the result.
func (p *gamePage) onCard(invariant string) remarks {
	g := p.game
	if g.level == nil || g.goal == nil || invariant != g.level.Goal || !g.goal.before(g.at) {
		return remarks{}
	}
	return remarks{won: true, first: p.superfluousPart()}
}

// captionLines returns the lines above a game: the goal, the hints and the result, at
// most a third of the body.
func (p *gamePage) captionLines(w int) render.Lines {
	g := p.game
	if g.level == nil {
		return p.atMost(render.Wrap(p.Text("take_over"), w))
	}
	return p.atMost(p.levelLines(w))
}

// levelLines returns all lines about a level.
func (p *gamePage) levelLines(w int) render.Lines {
	g := p.game
	about := g.level.About(p.Book, p.lang)
	parts := passages{p.passage("goal", about.Goal)}
	if text := p.outcome(); text == "" && g.guided() && g.at.depth < len(about.Guide) {
		parts = append(passages{p.passage("guided", about.Guide[g.at.depth])}, parts...)
	}
	if p.asks {
		parts = passages{p.passage("does_claim", p.Text("claim_why")+"  "+p.choices(p.reasons()))}
	} else if text := p.outcome(); text != "" {
		parts = append(passages{p.passage("result", text)}, parts...)
	} else if g.hints > 0 {
		parts = append(parts, p.hint(g.hints))
	}
	beside := p.Theme
	beside.Airy = false // the panes want the room
	return beside.Passages(parts, w)
}

func (p *gamePage) atMost(lines render.Lines) render.Lines {
	return lines.Cut(p.width, max(2, p.room()/3))
}

// isCut reports whether the goal and the hint do not fit above the moves.
func (p *gamePage) isCut() bool {
	lines := p.levelLines(p.width)
	return len(p.atMost(lines)) < len(lines)
}

// outcome returns that the goal is reached, or the explorer's answer after giving up;
// "" while the game is open.
func (p *gamePage) outcome() string {
	g, faults := p.game, 0
	if g.goal != nil {
		faults, _ = g.level.Spent(g.goal.schedule())
	}
	switch {
	case g.goal != nil && g.goal.before(g.at):
		return p.Pair(p.Text("goal_reached"), p.resultText(g.level, progress.Level{Moves: g.goal.depth, Faults: faults}))
	case g.held && p.proof() == nil && p.levels.search != nil:
		return p.searchText() // it is not known yet whether that is right
	case g.held:
		why := p.reasonDigits()[:1]
		with := facts{Said: p.Text("claim_reason_" + why)}
		if g.reason != why {
			with.Story, with.What = p.Text("claim_reason_"+g.reason), p.Text("claim_not_"+g.reason)
		}
		return p.Sentences(p.Fill("claim_right", with), p.searchText())
	case g.gaveUp:
		return p.searchText()
	}
	return p.missing()
}

// seek finds out since which move nothing leads to the goal, if that is so. It says nothing of what
// a limit has cut short.
func (p *gamePage) seek() act {
	g, search := p.game, p.levels.search
	if g.level == nil || g.level.Par == 0 || search == nil || g.seeking || g.goal != nil || g.lost != nil && g.lost.before(g.at) {
		return nil
	}
	at, path, level := g.at, g.at.path(), *g.level
	if len(path) == 0 || at.breaks(level.Goal) {
		return nil
	}
	g.seeking = true
	return last(func(ctx context.Context) act {
		cut := false
		lost := func(i int) bool {
			level.After = path[i].schedule().String()
			proof, err := search(ctx, &level)
			cut = cut || err != nil || proof.Limit != "" && proof.Schedule == nil
			return proof.Schedule == nil
		}
		since := len(path)
		if lost(since - 1) {
			since = sort.Search(since-1, lost)
		}
		return func(s *Shell) Cmd {
			if g.seeking = cut; cut { // it gives up
				return nil
			}
			if since < len(path) {
				g.lost = path[since]
			}
			if g.at == at {
				return nil
			}
			return s.do(p.seek())
		}
	})
}

// missing says in a level that is under way what the goal still lacks: the cause, or all
// of it where nothing can happen any more. It is "" before that is worth saying.
func (p *gamePage) missing() string {
	l, at := p.game.level, p.game.at
	with := facts{Invariant: p.InvariantName(l.Goal), Said: p.Invariant(l.Goal).Says, What: p.named(undoKey)}
	switch {
	case at == nil || l.Reached(at.found):
		return ""
	case at.breaks(l.Goal):
		return p.Fill("goal_lacks", facts{What: with.Invariant, Invariant: p.InvariantName(l.Because), Said: p.Invariant(l.Because).Says})
	case p.game.lost != nil && p.game.lost.before(at):
		with.N, with.Story = p.game.lost.depth, p.wordsOf(p.game.lost)
		return p.Fill("goal_lost", with)
	case at.over():
		return p.Fill("goal_missed", with)
	}
	return ""
}

// searchText returns the explorer's result for the level.
func (p *gamePage) searchText() string {
	g, known := p.game, p.proof()
	switch {
	case p.levels.search == nil:
		return p.Text("nobody_knows")
	case p.levels.proofs[g.level.ID].err != nil:
		return p.Pair(p.Text("failed"), p.firstLine(p.levels.proofs[g.level.ID].err))
	case known == nil:
		return p.Text("still_searching")
	case known.Schedule != nil:
		return p.Fill("shown_shortest", facts{N: len(known.Schedule), What: p.named(followKey)})
	case known.Limit != "":
		return p.Fill("proof_cut_short", facts{N: known.States, What: p.in(known.Limit)})
	}
	return p.Fill("proof_nobody", facts{N: known.States, What: p.named(goalKey)})
}

// superfluousPart lists the learner's moves that could be left out, or says that none
// could; nothing while that is not known, or if no way is shorter.
func (p *gamePage) superfluousPart() passages {
	g := p.game
	if g.superfluous == nil {
		return nil
	}
	var words []any
	for _, i := range g.superfluous {
		words = append(words, strconv.Itoa(i+1)+" "+p.wordsOf(g.goal.path()[i]))
	}
	switch {
	case len(words) > 0:
		return passages{p.passage("superfluous", p.in(lang.Join("; ", words...)))}
	case g.goal.depth > g.level.Par:
		return passages{p.passage("your_moves", p.Gap("superfluous_none", p.named(compareKey)))}
	}
	return nil
}

// wordsOf returns the move to a node, as the learner read it.
func (p *gamePage) wordsOf(n *node) string {
	if n.picked == nil {
		return n.action.String()
	}
	return p.moveText(*n.picked)
}
