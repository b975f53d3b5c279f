package pages

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A locksPage is the first page: the list of locks, and the way to everything else.
type locksPage struct {
	*shared
	menu menu
}

var (
	courseKey = newKey(learning, 90, "course", "c")
	matrixKey = newKey(choosing, 200, "matrix", "m")
	levelsKey = newKey(choosing, 190, "levels", "b")
)

// newLocksPage returns the page at a lock; "" is the first one.
func newLocksPage(s *shared, lock string) *locksPage {
	at := slices.IndexFunc(strategies.Catalogue(), func(info strategies.Info) bool { return info.ID == lock })
	return &locksPage{s, menu{max(0, at), len(strategies.Catalogue())}}
}

func (p *locksPage) title() (left, right string) { return "Lockstep", "" }

func (p *locksPage) status() (left, right string) {
	return p.book.Fill("nth_lock", prose.TextFacts{N: p.menu.at + 1, Of: p.menu.n}), ""
}

func (p *locksPage) keys() []key {
	keys := append([]key{courseKey.to(func() act { return push(&coursePage{p.shared}) })}, p.menu.keys(p.open)...)
	return append(keys,
		searchKey.to(func() act { return push(newSearchPage(p.shared)) }),
		matrixKey.to(func() act { return push(&matrixPage{p.shared}) }).when(p.board != nil, ""),
		levelsKey.to(func() act { return push(newLevelsPage(p.shared, "")) }))
}

func (p *locksPage) open() act {
	return push(newStoriesPage(p.shared, strategies.Catalogue()[p.menu.at].ID, nil))
}

// body draws the list with the claim of the selected lock.
func (p *locksPage) body(w, h int) []render.Line {
	first := p.invitation(w)
	items := make([]render.Item, p.menu.n)
	for i, info := range strategies.Catalogue() {
		items[i] = render.Item{Title: info.ID, Note: p.withCount(p.lockName(info.ID), info.ID)}
	}
	about := []lesson.Part{{Label: p.book.Text("claims"), Text: p.book.Lock(strategies.Catalogue()[p.menu.at].ID).Claims}}
	if p.broken != nil {
		about = append(about, lesson.Part{Label: p.theme.Glyphs.Bad, Text: p.firstLine(p.broken)})
	}
	return append(first, p.choosing(p.book.Text("choose_lock"), items, p.menu.at, about, w, h-len(first))...)
}

// withCount adds the number of stories about a lock.
func (p *locksPage) withCount(name, lock string) string {
	n := 0
	for _, s := range p.stories {
		if s.Strategy() == lock {
			n++
		}
	}
	if n == 0 {
		return name
	}
	return p.book.With(name, p.book.Fill("stories", prose.TextFacts{N: n}))
}

// invitation describes how to begin.
func (p *locksPage) invitation(w int) []render.Line {
	id := "course_begin"
	if p.course.where != "" {
		id = "course_other"
	}
	if len(p.progress.Chapters) > 0 {
		id = "course_resume"
	}
	facts := prose.TextFacts{What: courseKey.names(p.book), N: p.chaptersDone(), Of: p.course.chapter.n, Said: p.course.Title(p.lang)}
	return render.Ask.Wrap(p.book.Fill(id, facts), w)
}

// place returns the course, if the user came from there.
func (p *locksPage) place() (prose.TextFacts, bool) {
	return p.coursePlace(), p.course.entered
}
