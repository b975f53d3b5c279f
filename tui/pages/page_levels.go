package pages

import (
	"cmp"

	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// A levelsPage lists levels with the learner's results: the levels made by hand and,
// one line each, the locks that have more; or the levels of one lock.
type levelsPage struct {
	listPage
	lock string // "": the first of these lists
	rows []int  // where each line's level, or the first of its lock's, is among all
}

func newLevelsPage(s *shared, lock string) *levelsPage {
	p := &levelsPage{listPage: listPage{shared: s, id: "levels", nth: "nth_level"}, lock: lock}
	for i := range s.levels.list {
		of := s.levels.list[i].Lock()
		if of == lock || lock == "" && (i == 0 || s.levels.list[i-1].Lock() != of) {
			p.rows = append(p.rows, i)
		}
	}
	p.n = len(p.rows)
	p.open, p.items = p.opens, p.lines
	if lock != "" {
		p.of = func() string { return p.Pair(lock, p.lockName(lock)) }
	}
	return p
}

// opens shows a level, at its old position if it is the open one, or the levels of a
// lock.
func (p *levelsPage) opens() act {
	if lock := p.chosen().Lock(); lock != p.lock {
		return push(newLevelsPage(p.shared, lock))
	}
	return push(p.page())
}

// chosen returns the level at the cursor, or the first one of the lock there.
func (p *levelsPage) chosen() *scenarios.Level { return &p.levels.list[p.rows[p.at]] }

// page returns the page of the level at the cursor, which leads to the next one of the
// list.
func (p *levelsPage) page() page {
	g := newLevelPage(p.shared, p.chosen())
	if next := p.at + 1; next < p.n && p.levels.list[p.rows[next]].Lock() == p.lock {
		g.onward = func() act {
			p.move(1)
			return instead(p.page())
		}
	}
	return g
}

// newLevelPage returns the page of a level, at its old position if it is the open one.
func newLevelPage(s *shared, level *scenarios.Level) *gamePage {
	if s.game == nil || s.game.level != level {
		s.game = newGame(level.Config, level, nil, nil)
	}
	return newGamePage(s, nil, cmp.Or(s.game.at, s.game.root))
}

func (p *levelsPage) lines() (title string, items []render.Item, about passages) {
	for _, i := range p.rows {
		level := &p.levels.list[i]
		item := render.Item{Title: level.About(p.Book, p.lang).Name, Note: p.levelNote(level)}
		switch of := level.Lock(); {
		case of != p.lock:
			item = render.Item{Group: p.Text("levels_by_explorer"), Title: of, Note: p.lockNote(of)}
		case of != "":
			item.Title = p.Hazard(level.Hazard).Name
		case p.levels.list[p.rows[len(p.rows)-1]].Lock() != "":
			item.Group = p.Text("levels_by_hand")
		}
		items = append(items, item)
	}
	return p.Text("choose_level"), items, p.aboutChosen(p.chosen())
}

// aboutChosen returns the goal and the result of a level, or the claim of a lock.
func (p *levelsPage) aboutChosen(level *scenarios.Level) passages {
	if of := level.Lock(); of != p.lock {
		return passages{p.passage("claims", p.Lock(of).Claims)}
	}
	about := passages{p.passage("goal", level.About(p.Book, p.lang).Goal)}
	if text := p.levelResult(level); text != "" { // the list may have no room for all of it
		about = append(about, p.passage("result", text))
	}
	return about
}

// lockNote returns how many levels a lock has, and how many of them were tried.
func (p *levelsPage) lockNote(lock string) string {
	var f facts
	for i := range p.levels.list {
		if level := &p.levels.list[i]; level.Lock() == lock {
			f.Of++
			if p.levelResult(level) != "" {
				f.N++
			}
		}
	}
	return p.Fill("levels_tried", f)
}

// levelNote returns the lock, unless all levels have the same, and the result so far.
// It does not reveal whether the goal can be reached.
func (p *levelsPage) levelNote(level *scenarios.Level) string {
	lock := level.Config.Strategy
	if p.lock != "" {
		lock = ""
	}
	return p.List(lock, p.levelResult(level))
}

// levelResult returns the learner's result in a level; "" if it was not tried.
func (s *shared) levelResult(level *scenarios.Level) string {
	r, tried := s.progress.Levels[level.ID]
	switch {
	case !tried:
		return ""
	case r.Moves > 0:
		return s.resultText(level, r)
	case r.GaveUp && level.Par == 0:
		return s.List(s.Text("gave_up"), s.Text("nobody_can"))
	case r.GaveUp:
		return s.List(s.Text("gave_up"), s.Count("par", level.Par))
	case r.Claimed && level.Par == 0:
		return s.Text("claimed_rightly")
	case r.Claimed:
		return s.Text("claimed_wrongly")
	}
	return s.Text("tried")
}

// resultText compares the learner's result with the shortest: "11 moves; fewest 7
// (proven)". It counts faults if the rules allow any.
func (s *shared) resultText(level *scenarios.Level, r progress.Level) string {
	text := s.withFaults(s.Count("you_moves", r.Moves), level, r.Faults)
	p := s.levels.proofs[level.ID]
	switch {
	case p == nil || p.proof == nil || p.proof.Schedule == nil: // there is none, or it was cut short
		return text
	}
	id := "shortest_known"
	if p.proof.Shortest {
		id = "shortest_proven"
	}
	faults, _ := level.Spent(p.proof.Schedule)
	shortest := s.withFaults(s.Count("shortest", len(p.proof.Schedule)), level, faults)
	return s.Fill(id, facts{Said: text, What: shortest})
}

// withFaults adds the number of faults, if a level allows any.
func (s *shared) withFaults(moves string, level *scenarios.Level, n int) string {
	if level.Faults == 0 {
		return moves
	}
	return s.List(moves, s.Count("found_faults", n))
}
