package vector

import (
	"math"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/palette"
	"lockstep/internal/prose"
)

const (
	leastHead  = 28  // width of a lane's name
	widest     = 560 // of all lanes together: many move closer
	leaseWidth = 26
	workWidth  = 20

	RowHeight   = 24 // of a command, a fault or an expiry
	QuietHeight = 17 // of what a client does by itself
	perSecond   = 9  // height of a second that passes ...
	mostPassed  = 90 // ... up to this height
)

// A Painter paints the shapes of a diagram. Its user lays out lanes and rows.
type Painter struct {
	*diagram.Diagram
	Book  *prose.Book
	Marks map[int]int // the numbers of causes, by step from 1

	Rows        []int     // in ascending order; the others are left out
	Lanes       []float64 // the middle of each lane
	Left, Right float64   // the ends of what goes across all lanes
	Mid         []float64 // the middle of each row of the run
	Top, Bottom float64   // of the lanes

	Ground, Shapes, Front Canvas // what lies behind all else, and before it
}

// In has it paint in colours.
func (p *Painter) In(ink func(palette.Ink) string) {
	p.Ground.Ink, p.Shapes.Ink, p.Front.Ink = ink, ink, ink
}

// PlaceLanes places the lanes from a point on, each as wide as a client's or a node's, and
// returns their end.
func (p *Painter) PlaceLanes(x, client, node float64) float64 {
	widths, sum := make([]float64, len(p.Run.Lanes)), 1.0
	for i, l := range p.Run.Lanes {
		if widths[i] = client; l.Client == 0 {
			widths[i] = node
		}
		sum += widths[i]
	}
	shrink := min(1, widest/sum)
	for _, width := range widths {
		p.Lanes = append(p.Lanes, x+width*shrink/2)
		x += width * shrink
	}
	return x
}

// Names writes the names of the lanes on a line.
func (p *Painter) Names(y int) {
	lanes := p.Run.Lanes
	for i, l := range lanes {
		if l.Strand > 0 && p.Lanes[1]-p.Lanes[0] < leastHead {
			continue // its client's name stands for it
		}
		letters := float64(len([]rune(l.Name)))
		x, width := p.Lanes[i], min(max(leastHead, letters*9+12), 2*p.Lanes[i])
		for j, beside := range lanes {
			if j != i && beside.Strand == 0 {
				width = min(width, math.Abs(p.Lanes[j]-x)-1)
			}
		}
		fill, ink := palette.Client(l.Client), palette.Ground
		if l.Client == 0 {
			fill, ink = palette.Panel, palette.Text
		}
		p.Shapes.Put(`<rect x="%v" y="%d" width="%v" height="24" rx="7" fill="%s" stroke="%s"/>`+"\n", x-width/2, y-17, width, fill, edge(l.Client))
		p.Shapes.Put(`<g text-anchor="middle">`)
		p.Shapes.Print(x, y, min(14, int(width/letters*1.5)), ink, "700", Monospaced, l.Name)
		p.Shapes.Put("</g>\n")
	}
}

// Skip shows that rows are left out.
func (p *Painter) Skip(y int) {
	p.Ground.Put(`<line x1="%v" x2="%v" y1="%d" y2="%[3]d" stroke="%s" stroke-dasharray="1 5" stroke-width="2"/>`+"\n", p.Left, p.Right, y, palette.Rule)
}

// Gap draws the time that passes before a row of some height as a length, with a break
// where it is too long for that, and returns its height.
func (p *Painter) Gap(row, y, height int) (gap int) {
	if !p.Passes[row] {
		return 0
	}
	for _, g := range p.Gaps {
		if g.Row != row {
			continue
		}
		scaled := float64(g.By) / 1000 * perSecond
		h := int(math.Round(min(mostPassed, max(8, scaled))))
		p.Ground.Put(`<rect x="%v" y="%d" width="%v" height="%d" rx="4" fill="%s"/>`+"\n", p.Left-8, y+gap, p.Right-p.Left+8, h+height, palette.Panel)
		if scaled > mostPassed {
			p.Ground.Put(`<path d="M%v %d`, p.Left-8, y+gap+h/2)
			for x := p.Left; x < p.Right; x += 12 {
				p.Ground.Put(`l6 -5l6 5`)
			}
			p.Ground.Put(`" fill="none" stroke="%s" stroke-width="2"/>`+"\n", palette.Faint)
		}
		gap += h
	}
	return gap
}

// Paint paints all shapes. What is behind them is in Ground, what is before them in Front.
func (p *Painter) Paint() {
	p.crowds()
	p.lines()
	for _, kind := range []diagram.Kind{diagram.Lease, diagram.Belief, diagram.Work, diagram.Bare, diagram.Again} {
		for _, b := range p.Bars {
			if b.Kind == kind && p.shows(b.From, b.To) {
				p.bar(b)
			}
		}
	}
	drawn := map[[2]int]bool{} // several violations may come from the end of one lease
	for _, g := range p.Ghosts {
		if at := [2]int{g.Lane, g.From}; !drawn[at] {
			drawn[at] = true
			p.ghost(g)
		}
	}
	for _, a := range p.Arrows {
		p.arrow(a)
	}
	for _, b := range p.Bars {
		if p.shows(b.To, b.To) {
			p.endOf(b)
		}
	}
	for _, i := range p.Rows {
		p.acts(i)
	}
	for _, c := range p.Counts {
		if p.shows(c.Row, c.Row) {
			p.count(c)
		}
	}
	for _, s := range p.Stucks {
		if p.shows(s.Row, s.Row) {
			p.pill(p.Lanes[s.Lane], p.Mid[s.Row], p.Book.Text("harm_"+string(s.Harm)))
		}
	}
}

// String is the picture so far.
func (p *Painter) String() string { return p.Ground.String() + p.Shapes.String() + p.Front.String() }

// shows reports whether any row of a stretch is drawn.
func (p *Painter) shows(from, to int) bool {
	next, _ := slices.BinarySearch(p.Rows, from)
	return next < len(p.Rows) && p.Rows[next] <= to
}

// Quiet reports whether a client does something by itself: no message, no fault, no
// violation.
func Quiet(row *lesson.Row) bool {
	return row.Source == "" && !slices.Contains(row.Lanes, lesson.Faulted) && !slices.Contains(row.Lanes, lesson.Hit) && len(row.Found) == 0 && row.Command == nil
}

// edge is the colour of a client's lane, or of a node's.
func edge(client int) palette.Ink {
	if client == 0 {
		return palette.Faint
	}
	return palette.Client(client)
}

// crowds marks the lanes of those who are in the critical section together: as one band
// if no other client's lane lies between.
func (p *Painter) crowds() {
	for _, c := range p.Crowds {
		if !p.shows(c.From, c.To) {
			continue
		}
		top, bottom := p.Mid[c.From], p.Mid[c.To]
		first, last := c.Lanes[0], c.Lanes[len(c.Lanes)-1]
		for n := 0; n < len(c.Lanes); n++ {
			left := c.Lanes[n]
			for n+1 < len(c.Lanes) && !p.between(c.Lanes[n], c.Lanes[n+1]) {
				n++
			}
			p.Ground.Put(`<rect x="%v" y="%v" width="%v" height="%v" rx="6" fill="%s" fill-opacity=".16"/>`+"\n",
				p.Lanes[left]-20, top, p.Lanes[c.Lanes[n]]-p.Lanes[left]+40, bottom-top, palette.Harm)
		}
		p.Ground.Put(`<path d="M%v %vH%v" stroke="%s" stroke-width="1.6"/>`+"\n", p.Lanes[first]-20, top, p.Lanes[last]+20, palette.Harm)
		p.pill((p.Lanes[first]+p.Lanes[last])/2, top, p.Book.Text("harm_inside"))
	}
}

// between reports whether another client's lane lies between two.
func (p *Painter) between(a, b int) bool {
	for _, l := range p.Run.Lanes[a+1 : b] {
		if l.Client != p.Run.Lanes[a].Client {
			return true
		}
	}
	return false
}

// pill writes a word about harm on a ground of its own.
func (p *Painter) pill(x, y float64, text string) {
	if text == "" {
		return
	}
	width := float64(ansi.StringWidth(text))*6.8 + 10
	left := max(2, x-width/2)
	p.Front.Put(`<rect x="%v" y="%v" width="%v" height="15" rx="7" fill="%s" stroke="%s"/><g text-anchor="middle">`, left, y-8, width, palette.Ground, palette.Harm)
	p.Front.Print(left+width/2, int(y)+4, 11, palette.Harm, "700", Monospaced, text)
	p.Front.Put("</g>\n")
}

// lines draws the lanes while their client is alive or their node runs.
func (p *Painter) lines() {
	for lane, l := range p.Run.Lanes {
		from := -1.0
		end := func(y float64) {
			if from >= 0 && y > from {
				p.Shapes.Put(`<line x1="%v" x2="%[1]v" y1="%v" y2="%v" stroke="%s" stroke-width="1.6" stroke-dasharray="2 5"/>`+"\n", p.Lanes[lane], from, y, edge(l.Client))
			}
			from = -1
		}
		for i := range p.Run.Rows[:p.Diagram.Rows] {
			switch gone := p.Run.Rows[i].Lanes[lane] == lesson.Gone; {
			case !gone && from < 0 && i == 0:
				from = p.Top
			case !gone && from < 0:
				from = p.Mid[i]
			case gone:
				end(p.Mid[max(0, i-1)])
			}
		}
		end(p.Bottom)
	}
}

// bar draws a bar.
func (p *Painter) bar(b diagram.Bar) {
	x, top, bottom := p.Lanes[b.Lane], p.Mid[b.From], p.Mid[b.To]
	if b.End == diagram.Open {
		bottom = p.Bottom
	}
	height := max(5, bottom-top)
	colour := palette.Client(b.Client)
	rect := func(width float64, style string, args ...any) {
		if b.End == diagram.Open { // no end to be seen
			p.Shapes.Put(`<path d="M%v %vv%vq0 -5 5 -5h%vq5 0 5 5v%v" `, x-width/2, top+height, 5-height, width-10, height-5)
		} else {
			p.Shapes.Put(`<rect x="%v" y="%v" width="%v" height="%v" rx="5" `, x-width/2, top, width, height)
		}
		p.Shapes.Put(style+"/>\n", args...)
	}
	switch b.Kind {
	case diagram.Lease:
		rect(leaseWidth, `fill="%s"`, palette.Ground) // over the lane's line
		rect(leaseWidth, `fill="%s" fill-opacity=".3" stroke="%s" stroke-width="1.6"`, colour, colour)
		p.lease(b, x, top, height)
	case diagram.Belief:
		p.Shapes.Put(`<rect x="%v" y="%v" width="7" height="%v" rx="3" fill="%s"/>`, x-3.5, top, height, palette.Ground)
		p.Shapes.Put(`<rect x="%v" y="%v" width="7" height="%v" rx="3" fill="%s" fill-opacity=".6"/>`+"\n", x-3.5, top, height, colour)
	case diagram.Work:
		rect(workWidth, `fill="%s"`, colour)
	case diagram.Bare:
		rect(workWidth+8, `fill="%s" fill-opacity=".35" stroke="%s" stroke-width="1.6"`, palette.Ground, palette.Harm)
		p.hatch(x, top, height)
	case diagram.Again:
		p.Shapes.Put(`<rect x="%v" y="%v" width="5" height="%v" rx="2" fill="%s"/>`+"\n", x+workWidth/2+6, top, height, colour)
		p.beside(x+workWidth/2+14, top+5, colour, "x"+strconv.Itoa(b.Depth))
	}
}

// ghost draws beside a node's lane how long a lease would have lasted, if that had saved
// the run.
func (p *Painter) ghost(g diagram.Ghost) {
	if !p.shows(g.From, g.To) {
		return
	}
	x, top, bottom := p.Lanes[g.Lane]-leaseWidth/2-6, p.Mid[g.From], p.Mid[g.To]
	p.Shapes.Put(`<path data-known="%v" d="M%v %vV%vm-4 0h8" stroke="%s" stroke-width="3" stroke-dasharray="3 4" fill="none"/>`+"\n", g.Known, x, top, bottom, palette.Client(g.Client))
	if g.Lease > 0 {
		p.Front.Put(`<g data-known="%v" text-anchor="end" paint-order="stroke" stroke="%s" stroke-width="4">`, g.Known, palette.Ground) // readable before arrows
		p.Front.Print(x-6, int(top)+16, 12, palette.Client(g.Client), "700", Monospaced, p.Book.Gap("picture_longer", g.Lease.String()))
		p.Front.Put("</g>\n")
	}
}

// name writes a client's name into its lease.
func (p *Painter) name(x, y float64, colour palette.Ink, name string) {
	if len([]rune(name)) > 3 {
		name = string([]rune(name)[:2])
	}
	p.Front.Put(`<g text-anchor="middle"><text x="%v" y="%v" font-family="%s" font-size="14" font-weight="700" fill="%s">%s</text></g>`+"\n", x, y, Monospaced, colour, Escape(name))
}

// hatch draws slanting lines over a bar: a belief that is wrong.
func (p *Painter) hatch(x, top, height float64) {
	half := float64(workWidth+8) / 2
	p.Shapes.Put(`<path d="`)
	for y := 0.0; y+6 < height; y += 8 {
		p.Shapes.Put(`M%v %vl%v %v`, x-half+1, top+min(height, y+8), 2*half-2, -min(height, 8.0))
	}
	p.Shapes.Put(`" stroke="%s" stroke-width="2" fill="none"/>`+"\n", palette.Harm)
}
