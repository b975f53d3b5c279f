package tui

import (
	"strings"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/tui/render"
)

// A levelsPage is the list of levels with what the learner made of each.
type levelsPage struct{ *shared }

func (p *levelsPage) title() (left, right string) { return p.book.Text("levels"), "" }

func (p *levelsPage) status() (left, right string) {
	m := p.levels.menu
	return p.book.Fill("nth_level", prose.TextFacts{N: min(m.at+1, m.n), Of: m.n}), ""
}

func (p *levelsPage) keys() []key { return p.levels.menu.keys(p.open) }

// open shows a level, where it was left if it is the open one.
func (p *levelsPage) open() act {
	l := p.levels
	if l.menu.at >= len(l.list) {
		return nil
	}
	level := &l.list[l.menu.at]
	if p.game == nil || p.game.level != level {
		p.game = newGame(level.Config, level, nil, nil)
	}
	at := p.game.at
	if at == nil {
		at = p.game.root
	}
	return push(newGamePage(p.shared, nil, at))
}

func (p *levelsPage) body(w, h int) []string {
	l := p.levels
	var items []render.Item
	for i := range l.list {
		items = append(items, render.Item{Title: l.list[i].About(p.book).Name, Note: p.levelNote(&l.list[i])})
	}
	var about []render.Part
	if l.menu.at < len(l.list) {
		level := &l.list[l.menu.at]
		about = append(about, render.Part{Label: p.book.Text("goal"), Text: level.About(p.book).Goal})
		if best := p.progress.Levels[level.ID]; best.Moves > 0 { // the list may have no room for all of it
			about = append(about, render.Part{Label: p.book.Text("result"), Text: p.resultText(level, best)})
		}
	}
	if l.broken != nil {
		about = append(about, render.Part{Label: p.theme.Glyphs.Bad, Text: firstLine(l.broken)})
	}
	return p.choosing(p.book.Text("choose_level"), items, l.menu.at, about, w, h)
}

// levelNote is the lock and the result so far.
func (p *levelsPage) levelNote(level *scenarios.Level) string {
	parts := []string{level.Config.Strategy}
	best, played := p.progress.Levels[level.ID]
	if level.Par > 0 && best.Moves == 0 {
		parts = append(parts, p.book.Fill("par", prose.TextFacts{N: level.Par}))
	}
	switch {
	case best.Moves > 0:
		parts = append(parts, p.resultText(level, best))
	case played:
		parts = append(parts, p.book.Text("gave_up"))
	}
	return strings.Join(parts, ", ")
}

// resultText holds a learner's result against the shortest: "you 11, shortest
// 7 (proven)". Faults are counted where the rules allow any.
func (s *shared) resultText(level *scenarios.Level, r record) string {
	text := s.book.Fill("you_moves", prose.TextFacts{N: r.Moves}) + s.faultText(level, r.Faults)
	p := s.levels.proofs[level.ID]
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
	return text + "; " + s.book.Fill(id, prose.TextFacts{N: len(p.proof.Schedule), What: s.faultText(level, faults)})
}

func (s *shared) faultText(level *scenarios.Level, n int) string {
	if level.Faults == 0 {
		return ""
	}
	return ", " + s.book.Fill("found_faults", prose.TextFacts{N: n})
}
