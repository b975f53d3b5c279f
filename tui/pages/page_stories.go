package pages

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A storiesPage lists a lock's stories, its card first.
type storiesPage struct {
	preview
	lock strategies.Info
	list []*scenarios.Story
	menu
}

// newStoriesPage returns the page at a story of the lock; nil is the first one, if any.
func newStoriesPage(s *shared, lock string, at *scenarios.Story) *storiesPage {
	info, _ := strategies.Find(lock)
	p := &storiesPage{preview: newPreview(s), lock: info, list: s.ofLock(lock)}
	p.n = 1 + len(p.list)
	p.move(1 + max(0, slices.Index(p.list, at)))
	return p
}

func (p *storiesPage) title() (left, right string) {
	return p.Pair(p.lock.ID, p.lockName(p.lock.ID)), ""
}

func (p *storiesPage) status() (left, right string) {
	if p.at == 0 {
		return "", ""
	}
	return p.Count("nth_story", p.at, p.n-1), ""
}

func (p *storiesPage) keys() []key {
	return append(p.menu.keys(p.open), p.toSearch())
}

func (p *storiesPage) open() act {
	if p.at == 0 {
		return push(newLockPage(p.shared, p.lock))
	}
	return push(newStoryPage(p.shared, p.list[p.at-1], 0))
}

func (p *storiesPage) body(w, h int) render.Lines {
	items := []render.Item{{Title: p.Text("card_and_source"), Note: p.lock.File}}
	about := passages{p.passage("works", p.Lock(p.lock.ID).Works)}
	for i, s := range p.list {
		items = append(items, render.Item{Title: s.Title(p.Book), Note: p.shows(s)})
		if i+1 == p.at {
			about = passages{p.passage("caption", p.caption(s.Steps[0]))}
		}
	}
	choose := func(w int) render.Lines {
		return p.choosing(p.Text("choose_story"), items, p.at, about, w, h)
	}
	if w < besideLocks || p.Flow {
		return choose(w)
	}
	left := w / 2
	right := w - left - 1
	return choose(left).Block(left, h).Beside(p.draw(p.selected(), p.shownOf, right-1, h).Indent(), p.Glyphs.Bar)
}

// selected is the story at the cursor; nil on the card.
func (p *storiesPage) selected() *scenarios.Story {
	if p.at == 0 {
		return nil
	}
	return p.list[p.at-1]
}

// shownOf is the row up to which the preview shows a story: before what it still asks.
func (p *storiesPage) shownOf(run *lesson.Run) int {
	if p.isAsked(p.selected()) {
		for row := range run.Rows {
			if len(run.Questions(row)) > 0 {
				return max(0, row-1)
			}
		}
	}
	return clearestRow(run)
}

func (p *storiesPage) settle() act { return p.playStory(p.selected()) }

// shows says what a story shows of its lock, and how much it asks.
func (p *storiesPage) shows(s *scenarios.Story) string {
	says := p.Glyphs.Right + " " + p.Text("cell_holds")
	if harm := s.Harm(); harm != "" {
		says = p.Glyphs.Bad + " " + p.Text("harm_"+string(harm))
	}
	if n := s.Questions(); n > 0 {
		return p.List(says, p.Count("asks", n))
	}
	return says
}
