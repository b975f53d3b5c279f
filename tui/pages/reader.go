package pages

import (
	"cmp"

	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// A reader is the scroll position in a text that may be longer than its room.
type reader struct{ from int }

func (r *reader) keys() []key { return moveKeys(r.move) }

// move scrolls; fit keeps the position within the text.
func (r *reader) move(by int) { r.from = max(0, r.from+by) }

// fit scrolls back to where there is text.
func (r *reader) fit(text render.Lines, room int) {
	_, r.from = text.Scroll(r.from, max(1, room))
}

// scroll goes on or back by one screen; false at the end of the text.
func (r *reader) scroll(text render.Lines, room, by int) bool {
	from := r.from
	r.move(by * max(1, room-1))
	r.fit(text, room)
	return r.from != from
}

// show returns the visible part.
func (r *reader) show(text render.Lines, room int) render.Lines {
	lines, _ := text.Scroll(r.from, room)
	return lines
}

// count describes the visible part; "" if everything is visible.
func (r *reader) count(b *prose.Book, text render.Lines, room int) string {
	if len(text) <= room {
		return ""
	}
	return b.Fill("lines", facts{From: r.from + 1, To: min(len(text), r.from+room), Of: len(text)})
}

// failing is a page that may not have what it shows, yet or ever.
type failing struct {
	*shared
	reader       // of the card of a run, or of what failed
	failed error // why there will be nothing
}

// failure returns the error, if there is one.
func (f *failing) failure() render.Lines {
	if f.failed == nil {
		return nil
	}
	return render.Wrap(f.in(f.failed), f.width)
}

// trouble returns the status of a page without what it shows; "" for one that has it.
func (f *failing) trouble(there bool) string {
	switch {
	case there:
		return ""
	case f.failed == nil:
		return f.running()
	}
	return cmp.Or(f.count(f.Book, f.failure(), f.room()), f.Glyphs.Bad+" "+f.Text("failed"))
}

// A textPage is a page whose body is one text.
type textPage struct {
	*shared
	reader
	name func() (left, right string) // its title, unless the embedding page has one
	text func(w int) render.Lines
	at   Place // none where it has no own
}

func (p *textPage) title() (left, right string) { return p.name() }

func (p *textPage) body(w, h int) render.Lines { return p.show(p.text(w), h) }

// keys returns the keys that scroll. Space and pgdown go on by a screen, not by a pageful.
func (p *textPage) keys() []key {
	turn := func(by int) { p.turn(by) }
	return append([]key{pageUpKey.by(-1, turn), pageDownKey.by(1, turn), keyOf("readOn").by(1, turn).when(p.more())}, lineKeys(p.move)...)
}

// more reports whether text follows below the screen.
func (p *textPage) more() bool { return p.from+p.room() < len(p.text(p.width)) }

func (p *textPage) turn(by int) (act, bool) { return nil, p.scroll(p.text(p.width), p.room(), by) }

func (p *textPage) toEnd() { p.from = far }

func (p *textPage) settle() act {
	p.fit(p.text(p.width), p.room())
	return nil
}

// status describes the visible part.
func (p *textPage) status() (left, right string) {
	return p.count(p.Book, p.text(p.width), p.room()), ""
}
