package pages

import (
	"lockstep/tui/render"
)

// A menu is a selection among n items.
type menu struct{ at, n int }

func (m *menu) move(by int) { m.at = max(0, min(m.at+by, m.n-1)) }

// nth counts the selected item.
func (m *menu) nth(s *shared, id string) string {
	return s.Count(id, min(m.at+1, m.n), m.n)
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
	return append(lineKeys(move), pageUpKey.by(-pageful, move), pageDownKey.by(pageful, move))
}

// lineKeys returns those of them that do not move by page.
func lineKeys(move func(by int)) []key {
	return []key{firstKey.by(-far, move), lastKey.by(far, move), upKey.by(-1, move), downKey.by(1, move)}
}

// A listPage is a page whose body is a menu, with a text about the selection below it.
type listPage struct {
	*shared
	menu
	id    string        // of its title
	of    func() string // what it is about; nil for nothing more
	nth   string        // the id of the text that counts the selected item; "" for none
	state func() string // the status in its place; nil for that
	items func() (title string, items []render.Item, about passages)
	open  func() act
}

func (p *listPage) title() (left, right string) {
	if p.of != nil {
		right = p.of()
	}
	return p.Text(p.id), right
}

func (p *listPage) status() (left, right string) {
	if p.state != nil {
		return p.state(), ""
	}
	return p.menu.nth(p.shared, p.nth), ""
}

func (p *listPage) keys() []key { return p.menu.keys(p.open) }

func (p *listPage) body(w, h int) render.Lines {
	title, items, about := p.items()
	return p.choosing(title, items, p.at, about, w, h)
}

// choosing lays out a menu with the text about the selection below it. The line between
// them says which items are visible, if not all are.
func (s *shared) choosing(title string, items []render.Item, at int, about passages, w, h int) render.Lines {
	text := s.Passages(about, w)
	all := s.Menu(items, at, w, far)
	out := render.Lines{s.Heading(title, w)}
	if s.Flow {
		return append(append(append(out, all...), nil), text...)
	}
	low, part := min(len(text), max(4, h-2-len(all))), "" // the text may use what the list leaves
	room := h - low - 2
	if room > 0 && room < len(all) {
		shown := render.Shown(items, at, room)
		part = s.Fill("items", facts{From: shown.From + 1, To: shown.To, Of: len(items)})
	}
	out = append(out, s.Menu(items, at, w, room).Block(w, room)...)
	out = append(out, s.Heading(part, w))
	return append(out, text.Cut(w, low).Block(w, low)...)
}
