package vector

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/diagram"
	"lockstep/internal/palette"
)

// This file explains the shapes of a picture, those that it has.

const (
	signWidth   = 42 // of a shape in the legend
	legendRow   = 26
	legendSize  = 12
	legendGlyph = 6.1 // width of a letter, more or less: its font is proportional
)

// A sign is one entry of the legend: what a picture has, or a word for it, and the id of its
// text.
type sign struct {
	of any
	id string
}

// allSigns are the entries that there are, in their order.
var allSigns = []sign{
	{diagram.Lease, "lease"}, {diagram.Done, "done"}, {diagram.Expired, "expired"}, {diagram.Removed, "removed"}, {diagram.Taken, "taken"},
	{"renewed", "renewed"}, {"accused", "renewed_wrongly"},
	{diagram.Belief, "believes"}, {diagram.Work, "works"}, {diagram.Bare, "wrongly"}, {diagram.Again, "again"},
	{diagram.Changes, "changes"}, {diagram.Looks, "looks"}, {diagram.Nothing, "nothing"}, {diagram.Dropped, "dropped"}, {diagram.Barred, "barred"},
	{diagram.Writes, "writes"}, {diagram.Damages, "damages"}, {diagram.Declined, "declined"}, {"fence", "fence"},
	{diagram.Dies, "dies"}, {diagram.GivesUp, "gives_up"}, {diagram.Forgets, "forgets"}, {"counts", "counts"}, {"ghosts", "saves"},
}

// Legend explains the shapes of the picture between two places and returns its height.
func (p *Painter) Legend(left, right, y float64, font string) (height float64) {
	x := left
	for _, s := range p.signs() {
		text := p.Book.Text("picture_" + s.id)
		width := signWidth + float64(ansi.StringWidth(text))*legendGlyph + 14
		if x+width > right && x > left {
			x, height = left, height+legendRow
		}
		p.drawSign(s.of, x+signWidth/2-2, y+height)
		p.Front.Print(x+signWidth, int(y+height)+4, legendSize, palette.Faint, "400", font, text)
		x += width
	}
	return height + legendRow
}

// signs are the kinds of shapes that the picture has.
func (p *Painter) signs() []sign {
	has := map[any]bool{"counts": len(p.Counts) > 0, "ghosts": len(p.Ghosts) > 0}
	for _, b := range p.Bars {
		if p.shows(b.From, b.To) {
			has[b.Kind] = true
			for _, c := range b.Changes {
				has["renewed"], has["accused"] = has["renewed"] || !c.Wrong, has["accused"] || c.Wrong
			}
			if b.Kind == diagram.Lease {
				has[b.End] = true
			}
		}
	}
	for _, a := range p.Arrows {
		if a.Fate == diagram.Arrived && !a.Reply {
			has[a.Effect] = true
		} else {
			has[a.Fate] = true
		}
	}
	for _, t := range p.Touches {
		has[t.Access] = true
		has["fence"] = has["fence"] || t.Fence > 0
	}
	for _, s := range p.Signs {
		has[s.Trouble] = true
	}
	has[diagram.Forgets] = has[diagram.Forgets] || has[diagram.Lost]
	return slices.DeleteFunc(slices.Clone(allSigns), func(s sign) bool { return !has[s.of] })
}

// drawSign draws an entry of the legend.
func (p *Painter) drawSign(of any, x, y float64) {
	text := palette.Text
	arrow := func() {
		p.Shapes.Put(`<path d="M%v %vh24" stroke="%s" stroke-width="2"/>`+"\n", x-12, y, text)
	}
	block := func(x, width float64, opacity string) {
		p.Shapes.Put(`<rect x="%v" y="%v" width="%v" height="16" rx="3" fill="%s" fill-opacity="%s"/>`+"\n", x-width/2, y-8, width, text, opacity)
	}
	lease := func(y float64) {
		p.Front.Put(`<path d="M%v %vv-9q0 -5 5 -5h16q5 0 5 5v9z" fill="%s" fill-opacity=".3" stroke="%[3]s" stroke-width="1.6"/>`+"\n", x-leaseWidth/2, y+7, text)
	}
	switch of := of.(type) {
	case diagram.End:
		lease(y - 4)
		p.shapeOfEnd(of, x, y+3, text, text)
	case diagram.Effect:
		arrow()
		p.head(x+13, y, 0, text, of)
	case diagram.Access:
		p.touch(x, y, diagram.Touch{Access: of})
	case diagram.Trouble:
		p.sign(x, y, diagram.Sign{Trouble: of})
	}
	switch of {
	case diagram.Lease:
		lease(y)
	case "renewed":
		p.Front.Put(`<path d="M%v %vh26" stroke="%s" stroke-width="2.4" stroke-dasharray="3 2"/>`+"\n", x-13, y, text)
	case "accused":
		p.badge(x, y)
	case diagram.Belief:
		block(x, 7, ".6")
	case diagram.Work:
		block(x, workWidth, "1")
	case diagram.Bare:
		p.Shapes.Put(`<rect x="%v" y="%v" width="28" height="18" rx="4" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", x-14, y-9, palette.Harm)
		p.hatch(x, y-9, 18)
	case diagram.Again:
		block(x-8, 5, "1")
		p.beside(x-1, y+4, text, "x2")
	case diagram.Dropped:
		p.dropped(x, y)
	case diagram.Barred:
		arrow()
		p.barred(x+13, y)
	case "fence":
		p.beside(x-8, y+4, text, "#1")
	case "counts":
		p.beside(x-12, y+4, text, "3/5")
	case "ghosts":
		p.Front.Put(`<path d="M%v %vv14m-4 0h8" stroke="%s" stroke-width="3" stroke-dasharray="3 4" fill="none"/>`+"\n", x, y-7, text)
	}
}
