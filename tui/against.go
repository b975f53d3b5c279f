package tui

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// against is the choice of a second lock for what a first one was played with.
type against struct {
	from  screen // where it was asked for
	title string // of what is played
	lock  string // the first one
	story func(context.Context) (*scenarios.Story, error)
	locks []strategies.Info // the fix of the first one, then all others
	menu  menu
}

// mayCompare says whether the screen shows something that another lock could
// be played with. A chapter of the course does so by itself.
func (m *model) mayCompare() bool {
	switch m.screen {
	case matrixScreen:
		_, ok := m.board.found()
		return ok
	case playerScreen:
		return m.run != nil && m.from != courseScreen
	}
	return false
}

// chooseSecond asks with which lock the run of the screen is to be compared.
func (m *model) chooseSecond() {
	a := against{from: m.screen, title: m.title}
	if m.screen == matrixScreen {
		f, _ := m.board.found()
		c := m.board.here()
		a.title = m.book.Fill("found_story", prose.TextFacts{Invariant: f.Violation.Invariant, Hazard: c.Hazard})
		a.lock = c.Lock
		title, config := a.title, c.Config
		a.story = func(ctx context.Context) (*scenarios.Story, error) {
			story, _, err := counterexample(ctx, title, config, f)
			return story, err
		}
	} else {
		m.player.pause()
		story := m.story.Alone()
		a.lock = story.Strategy()
		a.story = func(context.Context) (*scenarios.Story, error) { return story, nil }
	}
	a.locks = others(a.lock)
	a.menu.n = len(a.locks)
	m.against, m.screen, m.scroll = a, againstScreen, 0
}

// others are all locks but one, the one that fixes it first.
func others(lock string) []strategies.Info {
	info, _ := strategies.Find(lock)
	var out []strategies.Info
	if fix, ok := strategies.Find(info.Fix); ok {
		out = append(out, fix)
	}
	for _, other := range strategies.Catalogue {
		if other.ID != lock && other.ID != info.Fix {
			out = append(out, other)
		}
	}
	return out
}

// compareWithSecond plays both.
func (m *model) compareWithSecond() tea.Cmd {
	a := &m.against
	second := a.locks[a.menu.at].ID
	return m.compare(comparison{from: againstScreen, title: a.title, locks: [2]string{a.lock, second}}, a.story)
}

// leaveComparison goes back to the choice of the second lock.
func (m *model) leaveComparison() {
	m.generation++ // runs under way are no longer wanted
	m.screen = againstScreen
}

// againstBody is the list of locks to choose the second one from.
func (m *model) againstBody(w, h int) []string {
	a := &m.against
	first, _ := strategies.Find(a.lock)
	items := make([]render.Item, len(a.locks))
	for i, info := range a.locks {
		items[i] = render.Item{Title: info.ID, Note: m.book.Lock(info.ID).Name}
		if info.ID == first.Fix {
			items[i].Note = m.book.Fill("is_the_fix", prose.TextFacts{What: a.lock}) + ": " + items[i].Note
		}
	}
	about := []render.Part{{Label: m.book.Text("works"), Text: m.book.Lock(a.locks[a.menu.at].ID).Works}}
	return m.choosing(m.book.Fill("choose_second", prose.TextFacts{What: a.lock}), items, a.menu.at, about, w, h)
}

// comparesInCourse says whether the comparison is the part of a chapter.
func (m *model) comparesInCourse() bool {
	return m.screen == compareScreen && m.comparison.from == courseScreen
}

func (m *model) compareTitle() (left, right string) {
	if m.comparesInCourse() {
		return m.courseTitle()
	}
	return m.book.Text("side_by_side"), m.against.title
}

// compareStatus says where both runs are.
func (m *model) compareStatus() string {
	c := &m.comparison
	switch {
	case m.screen == againstScreen:
		return m.book.Fill("nth_lock", prose.TextFacts{N: m.against.menu.at + 1, Of: m.against.menu.n})
	case c.err != nil:
		return m.theme.Glyphs.Bad + " " + m.book.Text("failed")
	case c.beat.n == 0:
		return m.running()
	}
	return m.book.Fill("at_command", prose.TextFacts{Step: c.beat.at + 1, Steps: c.beat.n})
}

// enableCompareKeys leaves on what does something where two locks are compared,
// and where they may be.
func (m *model) enableCompareKeys() {
	k := &m.keys
	k.Compare.SetEnabled(!m.covered && m.mayCompare())
	on := func(when bool, keys ...*key.Binding) {
		for _, b := range keys {
			b.SetEnabled(when || b.Enabled())
		}
	}
	compares := !m.covered && m.screen == compareScreen
	on(compares && m.comparison.beat.n > 0, &k.Step, &k.StepBack, &k.First, &k.Last)
	on(compares && m.comparison.err != nil, &k.Up, &k.Down)
	on(!m.covered && m.screen == againstScreen, &k.Open, &k.Up, &k.Down, &k.First, &k.Last)
}
