package tui

import (
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
	return push(p.page())
}

// page is the level at the cursor, which leads to the next one.
func (p *levelsPage) page() page {
	g := newLevelPage(p.shared, &p.levels.list[p.levels.menu.at])
	if m := &p.levels.menu; m.at+1 < m.n {
		g.onward = func() act {
			m.move(1)
			return instead(p.page())
		}
	}
	return g
}

// newLevelPage is a level, where it was left if it is the open one.
func newLevelPage(s *shared, level *scenarios.Level) *gamePage {
	if s.game == nil || s.game.level != level {
		s.game = newGame(level.Config, level, nil, nil)
	}
	at := s.game.at
	if at == nil {
		at = s.game.root
	}
	return newGamePage(s, nil, at)
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
		if text := p.levelResult(level); text != "" { // the list may have no room for all of it
			about = append(about, render.Part{Label: p.book.Text("result"), Text: text})
		}
	}
	if l.broken != nil {
		about = append(about, render.Part{Label: p.theme.Glyphs.Bad, Text: p.firstLine(l.broken)})
	}
	return p.choosing(p.book.Text("choose_level"), items, l.menu.at, about, w, h)
}

// levelNote is the lock and the result so far. Whether the goal can be reached at
// all is for the learner to find out.
func (p *levelsPage) levelNote(level *scenarios.Level) string {
	note := level.Config.Strategy
	if text := p.levelResult(level); text != "" {
		note = p.book.List(note, text)
	}
	return note
}

// levelResult is what a learner made of a level; "" if it was not tried.
func (s *shared) levelResult(level *scenarios.Level) string {
	r, tried := s.progress.Levels[level.ID]
	switch {
	case !tried:
		return ""
	case r.Moves > 0:
		return s.resultText(level, r)
	case r.GaveUp && level.Par == 0:
		return s.book.List(s.book.Text("gave_up"), s.book.Text("nobody_can"))
	case r.GaveUp:
		return s.book.List(s.book.Text("gave_up"), s.book.Fill("par", prose.TextFacts{N: level.Par}))
	case r.Claimed && level.Par == 0:
		return s.book.Text("claimed_rightly")
	case r.Claimed:
		return s.book.Text("claimed_wrongly")
	}
	return s.book.Text("tried")
}

// resultText holds a learner's result against the shortest: "you 11, shortest
// 7 (proven)". Faults are counted where the rules allow any.
func (s *shared) resultText(level *scenarios.Level, r record) string {
	text := s.withFaults(s.book.Fill("you_moves", prose.TextFacts{N: r.Moves}), level, r.Faults)
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
	shortest := s.withFaults(s.book.Fill("shortest", prose.TextFacts{N: len(p.proof.Schedule)}), level, faults)
	return s.book.Fill(id, prose.TextFacts{Said: text, What: shortest})
}

// withFaults counts the faults too, where a level has any.
func (s *shared) withFaults(moves string, level *scenarios.Level, n int) string {
	if level.Faults == 0 {
		return moves
	}
	return s.book.List(moves, s.book.Fill("found_faults", prose.TextFacts{N: n}))
}
