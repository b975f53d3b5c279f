package tui

import (
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// locksBody is the list of locks with what the selected one promises.
func (m *model) locksBody(w, h int) []string {
	shown, first := strategies.Catalogue, m.invitation(w)
	items := make([]render.Item, len(shown))
	for i, info := range shown {
		items[i] = render.Item{Title: info.ID, Note: m.book.Lock(info.ID).Name + m.howMany(info.ID)}
	}
	about := []render.Part{{Label: m.book.Text("claims"), Text: m.book.Lock(shown[m.locks.at].ID).Claims}}
	if m.broken != nil {
		about = append(about, render.Part{Label: m.theme.Glyphs.Bad, Text: firstLine(m.broken)})
	}
	return append(first, m.choosing(m.book.Text("choose_lock"), items, m.locks.at, about, w, h-len(first))...)
}

// howMany says how many stories there are about a lock.
func (m *model) howMany(lock string) string {
	n := 0
	for _, s := range m.stories {
		if s.Strategy() == lock {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return " (" + m.book.Fill("stories", prose.TextFacts{N: n}) + ")"
}

// storiesBody is the list of a lock's stories, its card first.
func (m *model) storiesBody(w, h int) []string {
	items := []render.Item{{Title: m.book.Text("card_and_source"), Note: m.lock.File}}
	about := []render.Part{{Label: m.book.Text("works"), Text: m.book.Lock(m.lock.ID).Works}}
	for i, s := range m.ofLock() {
		items = append(items, render.Item{Title: s.Title()})
		if i+1 == m.choice.at {
			about = []render.Part{{Label: m.book.Text("caption"), Text: m.caption(s.Steps[0])}}
		}
	}
	return m.choosing(m.book.Text("choose_story"), items, m.choice.at, about, w, h)
}

// choosing lays out a menu and, below it, what is said about the selection.
func (m *model) choosing(title string, items []render.Item, at int, about []render.Part, w, h int) []string {
	text := render.Parts(about, m.theme, w)
	low := min(len(text), 4)
	out := []string{render.Heading(title, m.theme, w)}
	out = append(out, render.Block(render.Menu(items, at, m.theme, w, h-low-2), w, h-low-2)...)
	out = append(out, render.Heading("", m.theme, w))
	return append(out, render.Block(text, w, low)...)
}
