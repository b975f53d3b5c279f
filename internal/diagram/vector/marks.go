package vector

import (
	"math"
	"strconv"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/palette"
)

// This file paints what stands at one row: arrows and their heads, ends of leases, what
// clients do, what goes wrong.

// lease writes into a lease whose it is and that it has no TTL, and marks its changes.
func (p *Painter) lease(b diagram.Bar, x, top, height float64) {
	colour, y := palette.Client(b.Client), top+min(height/2, 60)
	if height > 18 {
		p.name(x, y+5, colour, p.Run.History.Config.Clients[b.Client-1])
	}
	if b.Forever() {
		p.endless(b, x, top, height)
	}
	for _, c := range b.Changes {
		if !p.shows(c.Row, c.Row) {
			continue
		}
		ink, dash := palette.Client(c.By), ` stroke-dasharray="3 2"`
		if c.Wrong {
			ink, dash = palette.Harm, ""
		}
		p.Front.Put(`<path d="M%v %vh%d" stroke="%s" stroke-width="2.4"%s/>`+"\n", x-leaseWidth/2, p.Mid[c.Row], leaseWidth, ink, dash)
		if c.Wrong {
			p.badge(x+leaseWidth/2+9, p.Mid[c.Row])
		}
	}
}

// endless writes into a lease that it has no TTL, and draws an open end.
func (p *Painter) endless(b diagram.Bar, x, top, height float64) {
	colour := palette.Client(b.Client)
	if words := strings.Fields(p.Book.Text("no_ttl")); height >= 64 && len(words) == 2 {
		p.Front.Put(`<g text-anchor="middle">`)
		y := int(top+min(height/2, 60)) + 18 // below its name
		p.Front.Print(x, y, 11, colour, "700", Monospaced, words[0])
		p.Front.Print(x, y+12, 11, colour, "700", Monospaced, words[1])
		p.Front.Put("</g>\n")
	} else {
		p.beside(x+leaseWidth/2+4, top+height/2+4, colour, "∞")
	}
	if b.End == diagram.Open {
		p.Front.Put(`<path d="M%v %vl4 5l5 -5l4 5l4 -5l5 5l4 -5" stroke="%s" stroke-width="1.6" fill="%s"/>`+"\n", x-leaseWidth/2, top+height, colour, palette.Ground)
	}
}

// beside writes a short text that bars and arrows do not cover.
func (p *Painter) beside(x, y float64, colour palette.Ink, text string) {
	p.Front.Put(`<g paint-order="stroke" stroke="%s" stroke-width="4">`, palette.Ground)
	p.Front.Print(x, int(y), 12, colour, "700", Monospaced, text)
	p.Front.Put("</g>\n")
}

// badge draws an exclamation mark on a red ground.
func (p *Painter) badge(x, y float64) {
	p.Front.Put(`<rect x="%v" y="%v" width="15" height="17" rx="3" fill="%s"/><g text-anchor="middle">`, x-7.5, y-8.5, palette.Harm)
	p.Front.Print(x, int(y)+5, 14, palette.Ground, "700", Monospaced, "!")
	p.Front.Put("</g>\n")
}

// endOf marks how a lease ended: a clock on a line by its time, a line in their colour by
// its owner or by who takes over, a cross by another client, an empty set by the node.
func (p *Painter) endOf(b diagram.Bar) {
	if b.Kind != diagram.Lease || b.End == diagram.Open {
		return
	}
	p.shapeOfEnd(b.End, p.Lanes[b.Lane], p.Mid[b.To], palette.Client(b.Client), palette.Client(b.By))
}

func (p *Painter) shapeOfEnd(e diagram.End, x, y float64, owner, taker palette.Ink) {
	line := func(width float64, colour palette.Ink) {
		p.Shapes.Put(`<path d="M%v %vh%v" stroke="%s" stroke-width="3.5"/>`+"\n", x-width/2, y, width, colour)
	}
	switch e {
	case diagram.Expired:
		line(36, owner)
		p.Shapes.Put(`<circle cx="%v" cy="%v" r="6.5" fill="%s" stroke="%s" stroke-width="2"/><path d="M%[1]v %vv4h3" fill="none" stroke="%[4]s" stroke-width="1.6"/>`+"\n",
			x, y, palette.Ground, owner, y-4)
	case diagram.Done:
		line(leaseWidth, owner)
	case diagram.Taken:
		line(36, taker)
	case diagram.Removed:
		p.Shapes.Put(`<circle cx="%v" cy="%v" r="9.5" fill="%s"/><path d="M%v %vl8 8m0 -8l-8 8" stroke="%s" stroke-width="2.4"/>`+"\n",
			x, y, palette.Harm, x-4, y-4, palette.Ground)
	default:
		p.forgets(x, y)
	}
}

// forgets draws an empty set: a node has lost a key.
func (p *Painter) forgets(x, y float64) {
	p.Shapes.Put(`<circle cx="%v" cy="%v" r="8" fill="%s" stroke="%s" stroke-width="2.4"/><path d="M%v %vl16 -16" stroke="%[4]s" stroke-width="2.4"/>`+"\n",
		x, y, palette.Ground, palette.Harm, x-8, y+8)
}

// arrow draws a message. It slopes down even if it has taken no time.
func (p *Painter) arrow(a diagram.Arrow) {
	if !p.shows(a.From, a.From) && !p.shows(a.To, a.To) {
		return
	}
	x1, y1, x2, y2 := p.Lanes[a.Start], p.Mid[a.From], p.Lanes[a.Goal], p.Mid[a.To]
	side := math.Copysign(1, x2-x1)
	x1, x2 = x1+side*p.half(a.Start, a.From), x2-side*(leaseWidth/2+1)
	if a.From == a.To {
		y1, y2 = y1-3, y2+3
	}
	dash := ""
	if a.Reply || a.Fate == diagram.UnderWay {
		dash = ` stroke-dasharray="6 4"`
	}
	if a.Fate == diagram.UnderWay || a.Fate == diagram.Dropped {
		x2, y2 = x1+(x2-x1)*.6, y1+(y2-y1)*.6
	}
	colour := palette.Client(a.Client)
	p.Shapes.Put(`<path d="M%v %vL%v %v" stroke="%s" stroke-width="2"%s/>`+"\n", x1, y1, x2, y2, colour, dash)
	switch a.Fate {
	case diagram.Arrived:
		p.head(x2, y2, math.Atan2(y2-y1, x2-x1), colour, a.Effect)
	case diagram.Barred:
		p.barred(x2, y2)
	case diagram.Dropped:
		p.dropped(x2, y2)
	}
}

// dropped draws the end of a message that never arrives: a cross.
func (p *Painter) dropped(x, y float64) {
	p.Shapes.Put(`<path d="M%v %vl12 12m0 -12l-12 12" stroke="%s" stroke-width="3"/>`+"\n", x-6, y-6, palette.Harm)
}

// barred draws the end of a command that its node does not let in: a small cross at the node.
func (p *Painter) barred(x, y float64) {
	p.Shapes.Put(`<path d="M%v %vl8 8m0 -8l-8 8" stroke="%s" stroke-width="2.4"/>`+"\n", x-4, y-4, palette.Harm)
}

// head draws the head of an arrow: full if a key was changed, hollow if it was only looked
// at, a bar if nothing was done.
func (p *Painter) head(x, y, angle float64, colour palette.Ink, e diagram.Effect) {
	ink := p.Shapes.Ink(colour)
	shape := `d="M0 0l-10 -4.5v9z" fill="` + ink + `"`
	switch e {
	case diagram.Looks:
		shape = `d="M-1 0l-9 -4v8z" fill="` + p.Shapes.Ink(palette.Ground) + `" stroke="` + ink + `" stroke-width="1.5"`
	case diagram.Nothing:
		shape = `d="M-1 -7v14" stroke="` + ink + `" stroke-width="3.5"`
	}
	p.Shapes.Put(`<path %s transform="translate(%v %v) rotate(%v)"/>`+"\n", shape, x, y, angle*180/math.Pi)
}

// half is half the width of what stands on a lane at a row.
func (p *Painter) half(lane, row int) float64 {
	half := 1.0
	for _, b := range p.At(lane, row) {
		switch b.Kind {
		case diagram.Work:
			half = max(half, workWidth/2)
		case diagram.Bare:
			half = max(half, workWidth/2+4)
		case diagram.Lease:
			half = max(half, leaseWidth/2)
		}
	}
	return half
}

// acts marks what a row's actors do: a cause's number, what goes wrong, what is done to
// what the lock guards, any other act without a message.
func (p *Painter) acts(i int) {
	run, y := p.Run, p.Mid[i]
	row := run.Rows[i]
	from, _ := run.Wire(row)
	for lane, m := range row.Lanes {
		x, marks := p.Lanes[lane], p.Diagram.Marks(lane, i)
		if n := p.Marks[i+1]; n > 0 && lane == max(0, run.Actor(row)) {
			p.Front.Disc(x, int(y), n)
			continue
		}
		switch {
		case marks.Sign != nil:
			p.sign(x, y, *marks.Sign)
			p.word(lane, y, marks.Sign.Word)
		case marks.Touch != nil:
			p.touch(x, y, *marks.Touch)
			if f := marks.Touch.Fence; f > 0 {
				p.beside(x+workWidth/2+6, y+4, palette.Client(marks.Touch.Client), "#"+strconv.FormatInt(f, 10))
			}
		case m == lesson.Acts && from < 0 && !p.covered(lane, i):
			p.dot(x, y, palette.Client(run.Lanes[lane].Client))
		}
	}
}

func (p *Painter) dot(x, y float64, colour palette.Ink) {
	p.Shapes.Put(`<circle cx="%v" cy="%v" r="4.5" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n", x, y, colour, palette.Ground)
}

// word writes beside a lane what a sign there is about: to the left of a node's, where
// the other lanes are and not the texts.
func (p *Painter) word(lane int, y float64, id string) {
	if id == "" {
		return
	}
	x, anchor := p.Lanes[lane]+workWidth/2+6, "start"
	if p.Run.Lanes[lane].Client == 0 {
		x, anchor = p.Lanes[lane]-leaseWidth/2-4, "end"
	}
	p.Front.Put(`<g text-anchor="%s">`, anchor)
	p.beside(x, y+4, palette.Harm, p.Book.Text("picture_"+id))
	p.Front.Put("</g>\n")
}

// sign draws what goes wrong.
func (p *Painter) sign(x, y float64, s diagram.Sign) {
	ground, harm := palette.Ground, palette.Harm
	switch s.Trouble {
	case diagram.Strays:
	case diagram.Restored:
		p.dot(x, y, palette.Text)
	case diagram.Forgets:
		p.forgets(x, y)
	case diagram.Dies: // a cross on a grave
		p.Shapes.Put(`<path d="M%v %vv18m-6 -12h12" stroke="%s" stroke-width="8"/><path d="M%[1]v %[2]vv18m-6 -12h12" stroke="%[4]s" stroke-width="4"/>`+"\n", x, y-9, ground, harm)
	case diagram.GivesUp: // an hourglass
		p.Shapes.Put(`<path d="M%v %vh12l-12 16h12z" fill="%s" stroke="%s" stroke-width="2" stroke-linejoin="round"/>`+"\n", x-6, y-8, ground, harm)
	default:
		p.badge(x, y)
	}
}

// touch draws what a client does to what the lock guards.
func (p *Painter) touch(x, y float64, t diagram.Touch) {
	ground, text := palette.Ground, palette.Text
	diamond := func(half float64, fill palette.Ink) {
		p.Front.Put(`<path d="M%v %vl%[3]v %[3]vl-%[3]v %[3]vl-%[3]v -%[3]vz" fill="%s" stroke="%s" stroke-width="1.6"/>`+"\n", x, y-half, half, fill, ground)
	}
	switch t.Access {
	case diagram.Reads:
		p.Front.Put(`<circle cx="%v" cy="%v" r="3" fill="%s" stroke="%s" stroke-width="1.4"/>`+"\n", x, y, ground, palette.Client(t.Client))
	case diagram.Writes:
		diamond(6, text)
	case diagram.Damages:
		diamond(9, palette.Harm)
		p.Front.Put(`<path d="M%v %vv5m0 2v2" stroke="%s" stroke-width="2"/>`+"\n", x, y-4.5, ground)
	case diagram.Declined: // no entry
		p.Front.Put(`<circle cx="%v" cy="%v" r="8" fill="%s" stroke="%s" stroke-width="2.4"/><path d="M%v %vh8" stroke="%[4]s" stroke-width="3"/>`+"\n",
			x, y, ground, palette.Good, x-4, y)
	}
}

// count writes on how many nodes a client owns the key.
func (p *Painter) count(c diagram.Count) {
	colour := palette.Client(c.Client)
	if c.Loses {
		colour = palette.Harm
	}
	p.beside(p.Lanes[c.Lane]+workWidth/2+6, p.Mid[c.Row]+4, colour, strconv.Itoa(c.On)+"/"+strconv.Itoa(c.Of))
}

// covered reports whether a bar of the critical section stands at a row.
func (p *Painter) covered(lane, row int) bool {
	for _, b := range p.At(lane, row) {
		if b.Kind == diagram.Work {
			return true
		}
	}
	return false
}
