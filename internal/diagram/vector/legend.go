package vector

import (
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

// A sign is one entry of the legend.
type sign struct {
	id   string
	draw func(x, y float64)
}

// Legend explains the shapes of the picture between two places and returns its height.
func (p *Painter) Legend(left, right, y float64, font string) (height float64) {
	x := left
	for _, s := range p.signs() {
		text := p.Words.Sign(s.id)
		width := signWidth + float64(ansi.StringWidth(text))*legendGlyph + 14
		if x+width > right && x > left {
			x, height = left, height+legendRow
		}
		s.draw(x+signWidth/2-2, y+height)
		p.Front.Print(x+signWidth, int(y+height)+4, legendSize, palette.Faint, "400", font, text)
		x += width
	}
	return height + legendRow
}

// signs are the kinds of shapes that the picture has.
func (p *Painter) signs() (out []sign) {
	add := func(is bool, id string, draw func(x, y float64)) {
		if is {
			out = append(out, sign{id, draw})
		}
	}
	has := map[any]bool{}
	for _, b := range p.Bars {
		if p.shows(b.From, b.To) {
			has[b.Kind] = true
			for _, c := range b.Changes {
				has["renewed"], has["renewed-wrongly"] = has["renewed"] || !c.Wrong, has["renewed-wrongly"] || c.Wrong
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
	text := palette.Text
	lease := func(x, y float64) {
		p.Front.Put(`<path d="M%v %vv-9q0 -5 5 -5h16q5 0 5 5v9z" fill="%s" fill-opacity=".3" stroke="%[3]s" stroke-width="1.6"/>`+"\n", x-leaseWidth/2, y+7, text)
	}
	end := func(e diagram.End) func(x, y float64) {
		return func(x, y float64) {
			lease(x, y-4)
			p.shapeOfEnd(e, x, y+3, text, text)
		}
	}
	arrow := func(e diagram.Effect) func(x, y float64) {
		return func(x, y float64) {
			p.Shapes.Put(`<path d="M%v %vh24" stroke="%s" stroke-width="2"/>`+"\n", x-12, y, text)
			p.head(x+13, y, 0, text, e)
		}
	}
	block := func(width float64, opacity string) func(x, y float64) {
		return func(x, y float64) {
			p.Shapes.Put(`<rect x="%v" y="%v" width="%v" height="16" rx="3" fill="%s" fill-opacity="%s"/>`+"\n", x-width/2, y-8, width, text, opacity)
		}
	}
	touch := func(a diagram.Access) func(x, y float64) {
		return func(x, y float64) { p.touch(x, y, diagram.Touch{Access: a}) }
	}
	trouble := func(t diagram.Trouble) func(x, y float64) {
		return func(x, y float64) { p.sign(x, y, diagram.Sign{Trouble: t}) }
	}
	add(has[diagram.Lease], "lease", lease)
	add(has[diagram.Done], "done", end(diagram.Done))
	add(has[diagram.Expired], "expired", end(diagram.Expired))
	add(has[diagram.Removed], "removed", end(diagram.Removed))
	add(has[diagram.Taken], "taken", end(diagram.Taken))
	add(has["renewed"], "renewed", func(x, y float64) {
		p.Front.Put(`<path d="M%v %vh26" stroke="%s" stroke-width="2.4" stroke-dasharray="3 2"/>`+"\n", x-13, y, text)
	})
	add(has["renewed-wrongly"], "renewed_wrongly", func(x, y float64) { p.badge(x, y, "!") })
	add(has[diagram.Belief], "believes", block(7, ".6"))
	add(has[diagram.Work], "works", block(workWidth, "1"))
	add(has[diagram.Bare], "wrongly", func(x, y float64) {
		p.Shapes.Put(`<rect x="%v" y="%v" width="28" height="18" rx="4" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", x-14, y-9, palette.Harm)
		p.hatch(x, y-9, 18)
	})
	add(has[diagram.Again], "again", func(x, y float64) {
		block(5, "1")(x-8, y)
		p.beside(x-1, y+4, text, "x2")
	})
	add(has[diagram.Changes], "changes", arrow(diagram.Changes))
	add(has[diagram.Looks], "looks", arrow(diagram.Looks))
	add(has[diagram.Nothing], "nothing", arrow(diagram.Nothing))
	add(has[diagram.Dropped], "dropped", func(x, y float64) {
		p.Shapes.Put(`<path d="M%v %vl12 12m0 -12l-12 12" stroke="%s" stroke-width="3"/>`+"\n", x-6, y-6, palette.Harm)
	})
	add(has[diagram.Barred], "barred", func(x, y float64) {
		p.Shapes.Put(`<path d="M%v %vh24" stroke="%s" stroke-width="2"/>`+"\n", x-12, y, text)
		p.barred(x+13, y)
	})
	add(has[diagram.Writes], "writes", touch(diagram.Writes))
	add(has[diagram.Damages], "damages", touch(diagram.Damages))
	add(has[diagram.Declined], "declined", touch(diagram.Declined))
	add(has["fence"], "fence", func(x, y float64) { p.beside(x-8, y+4, text, "#1") })
	add(has[diagram.Dies], "dies", trouble(diagram.Dies))
	add(has[diagram.GivesUp], "gives_up", trouble(diagram.GivesUp))
	add(has[diagram.Forgets] || has[diagram.Lost], "forgets", trouble(diagram.Forgets))
	add(len(p.Counts) > 0, "counts", func(x, y float64) { p.beside(x-12, y+4, text, "3/5") })
	add(len(p.Ghosts) > 0, "saves", func(x, y float64) {
		p.Front.Put(`<path d="M%v %vv14m-4 0h8" stroke="%s" stroke-width="3" stroke-dasharray="3 4" fill="none"/>`+"\n", x, y-7, text)
	})
	return out
}
