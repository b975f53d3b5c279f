package pages

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A secondPage is the choice of a second lock for a comparison.
type secondPage struct {
	*shared
	name  func() string // of what is played
	first string
	find  func(context.Context) (*scenarios.Story, error)
	locks []strategies.Info // the fix of the first one, then all others
	menu  menu
}

func newSecondPage(s *shared, name func() string, first string, find func(context.Context) (*scenarios.Story, error)) *secondPage {
	p := &secondPage{shared: s, name: name, first: first, find: find, locks: others(first)}
	p.menu.n = len(p.locks)
	return p
}

// others returns all locks but one, its fix first.
func others(lock string) []strategies.Info {
	info, _ := strategies.Find(lock)
	var out []strategies.Info
	if fix, ok := strategies.Find(info.Fix); ok {
		out = append(out, fix)
	}
	for _, other := range strategies.Catalogue() {
		if other.ID != lock && other.ID != info.Fix {
			out = append(out, other)
		}
	}
	return out
}

func (p *secondPage) title() (left, right string) { return p.Text("side_by_side"), p.name() }

func (p *secondPage) status() (left, right string) {
	return p.menu.nth(p.Book, "nth_lock"), ""
}

func (p *secondPage) keys() []key {
	return p.menu.keys(func() act {
		return push(newComparePage(p.shared, &twoLocks{shared: p.shared, of: p.name, locks: [2]string{p.first, p.locks[p.menu.at].ID}, find: p.find}))
	})
}

func (p *secondPage) body(w, h int) render.Lines {
	first, _ := strategies.Find(p.first)
	items := make([]render.Item, len(p.locks))
	for i, info := range p.locks {
		items[i] = render.Item{Title: info.ID, Note: p.lockName(info.ID)}
		if info.ID == first.Fix {
			items[i].Note = p.Pair(p.Fill("is_the_fix", facts{What: p.first}), items[i].Note)
		}
	}
	about := []lesson.Part{p.passage("works", p.Lock(p.locks[p.menu.at].ID).Works)}
	return p.choosing(p.Fill("choose_second", facts{What: p.first}), items, p.menu.at, about, w, h)
}
