package export

import (
	"math"
	"slices"
	"strconv"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/tui/paint"
)

// This file paints the space-time diagram as SVG.

const (
	clientLane = 64 // distance of lanes
	nodeLane   = 84
	rowHeight  = 24 // of a command, a fault or an expiry
	quietRow   = 17 // of what a client does by itself
	quietText  = 13
	quietCell  = 7.8
	leaseWidth = 26
	workWidth  = 20
	perSecond  = 9  // height of a second that passes ...
	mostPassed = 90 // ... up to this height
)

// A spaceTime paints some rows of a diagram.
type spaceTime struct {
	*picture
	d        *diagram.Diagram
	rows     []int // in their order; the others are left out
	here     int   // the row to highlight; -1 for none
	captions bool
	told     int     // how many commands have their caption
	right    float64 // end of the texts
	lanes    []float64
	text     float64 // where texts begin
	top      int
	mid      []float64 // the middle of each row of the run
	words    svg       // the texts, which are painted last
	ground   svg       // what lies behind all else
}

func newSpaceTime(p *picture, d *diagram.Diagram, right float64) *spaceTime {
	s := &spaceTime{picture: p, d: d, here: -1, right: right}
	// Many lanes move together.
	shrink := min(1, 560/s.span(1))
	x := float64(pictureMargin + 128)
	for _, l := range p.Lanes {
		width := laneWidth(l) * shrink
		s.lanes = append(s.lanes, x+width/2-16)
		x += width
	}
	s.text = x + 8
	return s
}

// span is the width of all lanes.
func (s *spaceTime) span(scale float64) (width float64) {
	for _, l := range s.Lanes {
		width += laneWidth(l) * scale
	}
	return max(1, width)
}

func laneWidth(l lesson.Lane) float64 {
	if l.Client == 0 {
		return nodeLane
	}
	return clientLane
}

// draw paints the rows below each other and moves below them.
func (s *spaceTime) draw() {
	s.header()
	s.top = s.y
	s.layOut()
	s.y += 6
	s.crowds()
	s.lines()
	for _, kind := range []diagram.Kind{diagram.Lease, diagram.Belief, diagram.Work, diagram.Bare} {
		for _, b := range s.d.Bars {
			if b.Kind == kind && s.shows(b.From, b.To) {
				s.bar(b)
			}
		}
	}
	for _, a := range s.d.Arrows {
		s.arrow(a)
	}
	for _, b := range s.d.Bars {
		if s.shows(b.To, b.To) {
			s.endOf(b)
		}
	}
	for _, i := range s.rows {
		s.acts(i)
	}
	body := s.String()
	s.Reset()
	s.WriteString(s.ground.String() + body + s.words.String())
	s.y += rowHeight
}

// shows reports whether any row of a stretch is drawn.
func (s *spaceTime) shows(from, to int) bool {
	return slices.ContainsFunc(s.rows, func(row int) bool { return from <= row && row <= to })
}

func (s *spaceTime) header() {
	s.print(pictureMargin, s.y, 13, s.ink(paint.Faint), "600", proportional, "#")
	s.print(pictureMargin+42, s.y, 13, s.ink(paint.Faint), "600", proportional, s.picture.text("time"))
	for i, l := range s.Lanes {
		name, x := oneLine(l.Name), s.lanes[i]
		width := max(28, float64(len([]rune(name)))*9+12)
		fill, ink := s.client(l.Client), s.ink(paint.Ground)
		if l.Client == 0 {
			fill, ink = s.ink(paint.Panel), s.ink(paint.Text)
		}
		s.put(`<rect x="%s" y="%d" width="%s" height="24" rx="7" fill="%s" stroke="%s"/>`+"\n", number(x-width/2), s.y-17, number(width), fill, s.edge(l.Client))
		s.put(`<g text-anchor="middle">`)
		s.print(x, s.y, 14, ink, "700", monospaced, name)
		s.put("</g>\n")
	}
	s.y += 22
}

// edge is the colour of a client's lane, or of a node's.
func (s *spaceTime) edge(client int) string {
	if client == 0 {
		return s.ink(paint.Faint)
	}
	return s.client(client)
}

// layOut gives each row its place and its text. A row that is left out has the place of
// the next one.
func (s *spaceTime) layOut() {
	s.mid = make([]float64, len(s.Steps))
	next := 0
	for _, i := range s.rows {
		if i > next && !s.captions {
			s.skipped()
		}
		for ; next < i; next++ {
			s.mid[next] = float64(s.y) - 4
		}
		s.row(i)
		next = i + 1
	}
	if s.captions {
		s.caption(len(s.Steps))
	}
	for ; next < len(s.mid); next++ {
		s.mid[next] = float64(s.y)
	}
}

// skipped shows that rows are left out.
func (s *spaceTime) skipped() {
	s.ground.put(`<line x1="%d" x2="%s" y1="%d" y2="%[3]d" stroke="%s" stroke-dasharray="1 5" stroke-width="2"/>`+"\n",
		pictureMargin, number(s.text-16), s.y+2, s.ink(paint.Rule))
	s.y += 8
}

// row lays out one row: its captions, the time that passes, its texts.
func (s *spaceTime) row(i int) {
	if s.captions {
		s.caption(i)
	}
	start := s.y
	for _, g := range s.d.Gaps {
		if g.Row == i {
			s.gap(g)
		}
	}
	size, height, cell := pictureText, rowHeight, pictureCell
	if s.quiet(i) {
		size, height, cell = quietText, quietRow, quietCell
	}
	words, broken := s.rowTexts(i, cell)
	if s.here == i {
		lines := max(1, len(words)+len(broken))
		s.ground.put(`<rect x="%d" y="%d" width="%s" height="%d" fill="%s" rx="4"/>`+"\n", pictureMargin-8, start, number(s.right-pictureMargin+16), s.y-start+height+(lines-1)*20, s.ink(paint.Marked))
	}
	s.mid[i] = float64(s.y) + float64(height)/2
	base := s.y + height/2 + 5
	s.say(pictureMargin, base, 12, s.ink(paint.Faint), "400", strconv.Itoa(i+1))
	if s.tells(i) {
		s.say(pictureMargin+42, base, 12, s.ink(paint.Faint), "400", s.Steps[i].Time)
	}
	colour, weight := s.colourOf(i), "400"
	if s.here == i {
		weight = "700"
	}
	for n, line := range words {
		s.say(s.text, base+20*n, size, colour, weight, line)
	}
	for n, line := range broken {
		s.say(s.text, base+20*(len(words)+n), pictureText, s.ink(paint.Harm), "700", line)
	}
	s.y += height + 20*max(0, len(words)+len(broken)-1)
}

// say writes a text that nothing covers.
func (s *spaceTime) say(x float64, y, size int, colour, weight, text string) {
	was := s.svg
	s.svg = svg{}
	s.print(x, y, size, colour, weight, monospaced, text)
	s.words.WriteString(s.String())
	s.svg = was
}

// tells reports whether the time has changed since the row before.
func (s *spaceTime) tells(i int) bool {
	return i == s.rows[0] || s.Steps[i].Time != s.Steps[i-1].Time
}

// quiet reports whether a client does something by itself: no message, no fault, no
// violation.
func (s *spaceTime) quiet(i int) bool {
	step := s.Steps[i]
	fault := slices.Contains(step.Marks, lesson.Faulted)
	return step.File == "" && !fault && !slices.Contains(step.Marks, lesson.Hit) && len(step.Violations) == 0 && !step.Command
}

func (s *spaceTime) colourOf(i int) string {
	step := s.Steps[i]
	switch {
	case step.Actor >= 0 && s.Lanes[step.Actor].Client > 0 && !s.quiet(i):
		return s.client(s.Lanes[step.Actor].Client)
	case s.quiet(i):
		return s.ink(paint.Faint)
	}
	return s.ink(paint.Text)
}

// rowTexts wraps a row's text, the output of its command, and its violations.
func (s *spaceTime) rowTexts(i int, cell float64) (words, broken []string) {
	step, width := s.Steps[i], (s.right-s.text)*pictureCell/cell
	text := join(step.Who, step.Text)
	if step.Line > 0 {
		text += "  " + step.source()
	}
	words = s.wrap(text, width, 3)
	for _, out := range step.Output {
		words = append(words, s.wrap(out, width, 0)...)
	}
	for _, n := range step.Violations {
		broken = append(broken, s.wrap("✗ "+s.Violations[n].Verdict, s.right-s.text, 0)...)
	}
	return words, broken
}

// caption writes the story's words before the first row of a command that is drawn, and
// after the last row those that are left.
func (s *spaceTime) caption(i int) {
	for ; s.told < len(s.Commands) && s.Commands[s.told].From <= i; s.told++ {
		c := s.Commands[s.told]
		if c.Caption == "" {
			continue
		}
		s.y += 8
		for _, line := range s.wrap(c.Caption, s.right-s.text, 0) {
			s.y += 20
			s.say(s.text, s.y-4, pictureText, s.ink(paint.Text), "700", line)
		}
		s.y += 4
	}
}

// gap draws time that passes as a length, with a break where it is too long for that.
func (s *spaceTime) gap(g diagram.Gap) {
	seconds := float64(g.By) / 1000
	height := int(math.Round(min(mostPassed, max(8, seconds*perSecond))))
	left, right := float64(pictureMargin), s.text-16
	s.ground.put(`<rect x="%s" y="%d" width="%s" height="%d" rx="4" fill="%s"/>`+"\n", number(left-8), s.y, number(right-left+8), height+quietRow, s.ink(paint.Panel))
	if seconds*perSecond > mostPassed {
		y := s.y + height/2
		s.ground.put(`<path d="M%s %d`, number(left-8), y)
		for x := left; x < right; x += 12 {
			s.ground.put(`l6 -5l6 5`)
		}
		s.ground.put(`" fill="none" stroke="%s" stroke-width="2"/>`+"\n", s.ink(paint.Faint))
	}
	s.y += height
}

// crowds marks where several clients are in the critical section.
func (s *spaceTime) crowds() {
	if len(s.lanes) == 0 {
		return
	}
	for _, c := range s.d.Crowds {
		top, bottom := s.mid[c.From], s.mid[c.To]
		first, last := s.clientLanes()
		s.ground.put(`<rect x="%s" y="%s" width="%s" height="%s" rx="6" fill="%s" fill-opacity=".13"/>`+"\n",
			number(first-24), number(top), number(last-first+48), number(bottom-top), s.ink(paint.Harm))
		s.say(first-20, int(top)+13, 12, s.ink(paint.Harm), "700", s.picture.text("harm_inside"))
	}
}

// clientLanes returns the places of the first and the last lane of clients.
func (s *spaceTime) clientLanes() (first, last float64) {
	first, last = s.lanes[0], s.lanes[0]
	for i, l := range s.Lanes {
		if l.Client > 0 {
			last = s.lanes[i]
		}
	}
	return first, last
}

// lines draws the lanes while their client is alive or their node runs.
func (s *spaceTime) lines() {
	for lane, l := range s.Lanes {
		from := -1.0
		end := func(y float64) {
			if from >= 0 && y > from {
				s.put(`<line x1="%s" x2="%[1]s" y1="%s" y2="%s" stroke="%s" stroke-width="1.6" stroke-dasharray="2 5"/>`+"\n", number(s.lanes[lane]), number(from), number(y), s.edge(l.Client))
			}
			from = -1
		}
		for i := range s.Steps[:s.d.Rows] {
			switch gone := s.Steps[i].Marks[lane] == lesson.Gone; {
			case !gone && from < 0 && i == 0:
				from = float64(s.top)
			case !gone && from < 0:
				from = s.mid[i]
			case gone:
				end(s.mid[max(0, i-1)])
			}
		}
		end(float64(s.y))
	}
}

// bar draws a bar.
func (s *spaceTime) bar(b diagram.Bar) {
	x, top, bottom := s.lanes[b.Lane], s.mid[b.From], s.mid[b.To]
	if b.End == diagram.Open {
		bottom = float64(s.y)
	}
	height := max(5, bottom-top)
	colour := s.client(b.Client)
	rect := func(width float64, style string, args ...any) {
		s.put(`<rect x="%s" y="%s" width="%s" height="%s" `, number(x-width/2), number(top), number(width), number(height))
		s.put(style+"/>\n", args...)
	}
	switch b.Kind {
	case diagram.Lease:
		rect(leaseWidth, `rx="5" fill="%s"`, s.ink(paint.Ground)) // over the lane's line
		rect(leaseWidth, `rx="5" fill="%s" fill-opacity=".3" stroke="%s" stroke-width="1.6"`, colour, colour)
		if height > 18 {
			s.name(x, top+min(height/2, 60)+5, colour, s.Clients[b.Client-1])
		}
		for _, row := range b.Renewed {
			s.put(`<path d="M%s %sh%d" stroke="%s" stroke-width="2" stroke-dasharray="3 2"/>`+"\n", number(x-leaseWidth/2), number(s.mid[row]), leaseWidth, colour)
		}
	case diagram.Belief:
		rect(7, `rx="3" fill="%s"`, s.ink(paint.Ground))
		rect(7, `rx="3" fill="%s" fill-opacity=".6"`, colour)
	case diagram.Work:
		rect(workWidth, `rx="5" fill="%s"`, colour)
	case diagram.Bare:
		rect(workWidth+8, `rx="5" fill="%s" fill-opacity=".35" stroke="%s" stroke-width="1.6"`, s.ink(paint.Ground), s.ink(paint.Harm))
		s.hatch(x, top, height)
	}
}

// name writes a client's name into its lease.
func (s *spaceTime) name(x, y float64, colour, name string) {
	if len([]rune(name)) > 3 {
		name = string([]rune(name)[:2])
	}
	s.words.put(`<g text-anchor="middle"><text x="%s" y="%s" font-family="%s" font-size="14" font-weight="700" fill="%s">%s</text></g>`+"\n", number(x), number(y), monospaced, colour, escape(oneLine(name)))
}

// hatch draws slanting lines over a bar: a belief that is wrong.
func (s *spaceTime) hatch(x, top, height float64) {
	half := float64(workWidth+8) / 2
	s.put(`<path d="`)
	for y := 0.0; y+6 < height; y += 8 {
		s.put(`M%s %sl%s %s`, number(x-half+1), number(top+min(height, y+8)), number(2*half-2), number(-min(height, 8.0)))
	}
	s.put(`" stroke="%s" stroke-width="2" fill="none"/>`+"\n", s.ink(paint.Harm))
}

// endOf marks how a lease ended: a line by its time, a cross by another client, a sign of
// a fault by the node.
func (s *spaceTime) endOf(b diagram.Bar) {
	if b.Kind != diagram.Lease || b.End == diagram.Open || b.End == diagram.Done {
		return
	}
	x, y := s.lanes[b.Lane], s.mid[b.To]
	switch b.End {
	case diagram.Expired:
		s.put(`<path d="M%s %sh36" stroke="%s" stroke-width="3.5"/>`+"\n", number(x-18), number(y), s.client(b.Client))
	default:
		s.put(`<circle cx="%s" cy="%s" r="9.5" fill="%s"/><path d="M%s %sl8 8m0 -8l-8 8" stroke="%s" stroke-width="2.4"/>`+"\n",
			number(x), number(y), s.ink(paint.Harm), number(x-4), number(y-4), s.ink(paint.Ground))
	}
}

// arrow draws a message. It slopes down even if it has taken no time.
func (s *spaceTime) arrow(a diagram.Arrow) {
	if !s.shows(a.From, a.From) && !s.shows(a.To, a.To) {
		return
	}
	x1, y1, x2, y2 := s.lanes[a.Start], s.mid[a.From], s.lanes[a.Goal], s.mid[a.To]
	side := math.Copysign(1, x2-x1)
	x1, x2 = x1+side*10, x2-side*(leaseWidth/2+1)
	if a.From == a.To {
		y1, y2 = y1-3, y2+3
	}
	dash := ""
	if a.Reply || a.Fate == diagram.UnderWay {
		dash = ` stroke-dasharray="6 4"`
	}
	if a.Fate != diagram.Arrived {
		x2, y2 = x1+(x2-x1)*.6, y1+(y2-y1)*.6
	}
	colour := s.client(a.Client)
	s.put(`<path d="M%s %sL%s %s" stroke="%s" stroke-width="2" fill="none"%s/>`+"\n", number(x1), number(y1), number(x2), number(y2), colour, dash)
	switch a.Fate {
	case diagram.Arrived:
		angle := math.Atan2(y2-y1, x2-x1) * 180 / math.Pi
		s.put(`<path d="M0 0l-10 -4.5v9z" fill="%s" transform="translate(%s %s) rotate(%s)"/>`+"\n", colour, number(x2), number(y2), number(angle))
	case diagram.Dropped:
		s.put(`<path d="M%s %sl12 12m0 -12l-12 12" stroke="%s" stroke-width="3"/>`+"\n", number(x2-6), number(y2-6), s.ink(paint.Harm))
	}
}

// acts marks what a row's actors do: a cause's number, a fault, an act without a message.
func (s *spaceTime) acts(i int) {
	step, y := s.Steps[i], s.mid[i]
	for lane, m := range step.Marks {
		x := s.lanes[lane]
		if n := s.marks[i+1]; n > 0 && lane == max(0, step.Actor) {
			s.disc(x, int(y), n)
			continue
		}
		switch {
		case m == lesson.Faulted:
			s.put(`<rect x="%s" y="%s" width="15" height="17" rx="3" fill="%s"/><g text-anchor="middle">`, number(x-7.5), number(y-8.5), s.ink(paint.Harm))
			s.print(x, int(y)+5, 14, s.ink(paint.Ground), "700", monospaced, "!")
			s.put("</g>\n")
		case m == lesson.Acts && step.From < 0 && !s.covered(lane, i):
			s.put(`<circle cx="%s" cy="%s" r="4.5" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n", number(x), number(y), s.client(s.Lanes[lane].Client), s.ink(paint.Ground))
		}
	}
}

// covered reports whether a bar of the critical section stands at a row.
func (s *spaceTime) covered(lane, row int) bool {
	return slices.ContainsFunc(s.d.At(lane, row), func(b diagram.Bar) bool { return b.Kind == diagram.Work })
}
