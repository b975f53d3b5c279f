package pages

import (
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// A menu is a selection among n items.
type menu struct{ at, n int }

func (m *menu) move(by int) { m.at = max(0, min(m.at+by, m.n-1)) }

// nth counts the selected item.
func (m *menu) nth(b *prose.Book, id string) string {
	return b.Fill(id, facts{N: min(m.at+1, m.n), Of: m.n})
}

// far is more than the length of any list or text.
const far = 1 << 20

// pageful is how many lines of a list or a card pgup and pgdown pass.
const pageful = 10

// keys returns the keys that choose and open.
func (m *menu) keys(open func() act) []key {
	return append(moveKeys(m.move), openKey.to(open))
}

// moveKeys returns the keys that move up and down, by line and by page, and to both
// ends.
func moveKeys(move func(by int)) []key {
	to := func(k key, by int) key { return k.now(func() { move(by) }) }
	return []key{to(firstKey, -far), to(lastKey, far), to(upKey, -1), to(downKey, 1), to(pageUpKey, -pageful), to(pageDownKey, pageful)}
}

// choosing lays out a menu with the text about the selection below it. The line between
// them says which items are visible, if not all are.
func (s *shared) choosing(title string, items []render.Item, at int, about []lesson.Part, w, h int) render.Lines {
	return s.choosingOf(title, []render.Group{{Items: items}}, at, about, w, h)
}

// choosingOf is choosing from groups with headings.
func (s *shared) choosingOf(title string, groups []render.Group, at int, about []lesson.Part, w, h int) render.Lines {
	text := s.Passages(about, w)
	all := s.Menu(groups, at, w, far)
	if s.Flow {
		out := append(render.Lines{s.Heading(title, w)}, all...)
		return append(append(out, nil), text...)
	}
	low, part := min(len(text), max(4, h-2-len(all))), "" // the text may use what the list leaves
	room := h - low - 2
	if room > 0 && room < len(all) {
		shown, of := render.Shown(groups, at, room)
		part = s.Fill("items", facts{From: shown.From + 1, To: shown.To, Of: of})
	}
	out := render.Lines{s.Heading(title, w)}
	out = append(out, s.Menu(groups, at, w, room).Block(w, room)...)
	out = append(out, s.Heading(part, w))
	return append(out, text.Cut(w, low).Block(w, low)...)
}
