package tui

import (
	"strings"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/tui/render"
)

// levelsBody is the list of levels with what the learner made of each.
func (m *model) levelsBody(w, h int) []string {
	l := &m.levels
	var items []render.Item
	for i := range l.list {
		items = append(items, render.Item{Title: m.book.Level(l.list[i].ID).Name, Note: m.levelNote(&l.list[i])})
	}
	var about []render.Part
	if l.menu.at < len(l.list) {
		level := &l.list[l.menu.at]
		about = append(about, render.Part{Label: m.book.Text("goal"), Text: m.book.Level(level.ID).Goal})
		if best := m.progress.Levels[level.ID]; best.Moves > 0 { // the list may have no room for all of it
			about = append(about, render.Part{Label: m.book.Text("result"), Text: m.resultText(level, best)})
		}
	}
	if l.broken != nil {
		about = append(about, render.Part{Label: m.theme.Glyphs.Bad, Text: firstLine(l.broken)})
	}
	return m.choosing(m.book.Text("choose_level"), items, l.menu.at, about, w, h)
}

// levelNote is the lock and the result so far.
func (m *model) levelNote(level *scenarios.Level) string {
	parts := []string{level.Config.Strategy}
	best, played := m.progress.Levels[level.ID]
	if level.Par > 0 && best.Moves == 0 {
		parts = append(parts, m.book.Fill("par", prose.TextFacts{N: level.Par}))
	}
	switch {
	case best.Moves > 0:
		parts = append(parts, m.resultText(level, best))
	case played:
		parts = append(parts, m.book.Text("gave_up"))
	}
	return strings.Join(parts, ", ")
}

// resultText holds a learner's result against the shortest: "you 11, shortest
// 7 (proven)". Faults are counted where the rules allow any.
func (m *model) resultText(level *scenarios.Level, r record) string {
	text := m.book.Fill("you_moves", prose.TextFacts{N: r.Moves}) + m.faultText(level, r.Faults)
	p := m.levels.proofs[level.ID]
	switch {
	case p == nil || p.proof == nil:
		return text
	case p.proof.Schedule == nil:
		return text // the search was cut short
	}
	id := "shortest_known"
	if p.proof.Shortest {
		id = "shortest_proven"
	}
	faults, _ := level.Spent(p.proof.Schedule)
	return text + "; " + m.book.Fill(id, prose.TextFacts{N: len(p.proof.Schedule), What: m.faultText(level, faults)})
}

func (m *model) faultText(level *scenarios.Level, n int) string {
	if level.Faults == 0 {
		return ""
	}
	return ", " + m.book.Fill("found_faults", prose.TextFacts{N: n})
}

// scoreParts are what the card of a reached goal begins with.
func (m *model) scoreParts(invariant string) []render.Part {
	g := m.game
	if m.screen != gameScreen || g.level == nil || g.goal == nil || invariant != g.level.Goal || !g.goal.before(g.at) {
		return nil
	}
	return []render.Part{{Label: m.book.Text("spare"), Text: m.spareText()}} // the caption has the result
}

// gameCaption is what stands above a game: the goal, what there is to help,
// and how it went; at most a third of the body.
func (m *model) gameCaption() []string {
	g := m.game
	if g.level == nil {
		return m.atMost(render.Wrap(m.book.Text("take_over"), m.width))
	}
	about := m.book.Level(g.level.ID)
	parts := []render.Part{{Label: m.book.Text("goal"), Text: about.Goal}}
	if text := m.outcome(); text != "" {
		parts = append([]render.Part{{Label: m.book.Text("result"), Text: text}}, parts...)
	} else if g.hints > 0 {
		hint := []string{about.Hint1, about.Hint2, about.Hint3}[g.hints-1]
		label := m.book.Fill("nth_hint", prose.TextFacts{N: g.hints, Of: hintsOfALevel})
		parts = append(parts, render.Part{Label: label, Text: hint})
	}
	return m.atMost(render.Parts(parts, m.theme, m.width))
}

func (m *model) atMost(lines []string) []string {
	return lines[:min(len(lines), max(2, (m.height-margins)/3))]
}

// outcome says that the goal is reached, or what the explorer says to those
// who gave up; "" while the game is open.
func (m *model) outcome() string {
	g, p := m.game, m.proof()
	faults := 0
	if g.goal != nil {
		faults, _ = g.level.Spent(g.goal.schedule())
	}
	switch {
	case g.goal != nil && g.goal.before(g.at):
		return m.book.Text("goal_reached") + " " + m.resultText(g.level, record{Moves: g.goal.depth, Faults: faults})
	case !g.gaveUp:
		return ""
	case m.levels.proofs[g.level.ID].err != nil:
		return m.book.Text("failed") + ": " + firstLine(m.levels.proofs[g.level.ID].err)
	case p == nil:
		return m.book.Text("still_searching")
	case p.Schedule != nil:
		return m.book.Fill("shown_shortest", prose.TextFacts{N: len(p.Schedule)})
	case p.Limit != "":
		return m.book.Fill("proof_cut_short", prose.TextFacts{N: p.States, What: p.Limit})
	}
	return m.book.Fill("proof_nobody", prose.TextFacts{N: p.States, What: p.Assumptions})
}
