package export

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/palette"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// This file lays out the space-time diagram with the texts of its rows beside it.

const (
	quietText = 13
	quietCell = 7.8
)

// A spaceTime lays out some rows of a diagram.
type spaceTime struct {
	*picture
	vector.Painter
	here     int // the row to highlight; -1 for none
	captions bool
	told     int     // how many commands have their caption
	instead  []int   // the commands that play the same steps with another lock
	right    float64 // end of the texts
	text     float64 // where texts begin
}

func newSpaceTime(p *picture, d *diagram.Diagram, right float64) *spaceTime {
	s := &spaceTime{picture: p, here: -1, right: right}
	s.Painter = vector.Painter{Diagram: d, Book: p.book, Marks: p.marks, Left: pictureMargin}
	s.In(p.Ink)
	s.Right = s.PlaceLanes(pictureMargin+112, 64, 84) + 8
	s.text = s.Right + 16
	return s
}

// draw paints the rows below each other and moves below them.
func (s *spaceTime) draw() {
	if s.captions {
		s.y += int(s.Legend(pictureMargin, s.right, float64(s.y), proportional)) + 8
	}
	s.header()
	s.Top = float64(s.y)
	s.layOut()
	s.y += 14
	s.Bottom = float64(s.y)
	s.Paint()
	s.WriteString(s.Painter.String())
	s.y += vector.RowHeight
}

// others writes below the lanes what the same steps come to with other locks.
func (s *spaceTime) others() {
	for _, n := range s.instead {
		c, width := s.Commands[n], s.right-pictureMargin
		var said []string
		for _, step := range s.picture.Rows[c.From:c.To] {
			said = append(said, step.Printed(s.book)...)
		}
		_, lock, _ := strings.Cut(c.Text, "=")
		s.Put(`<path d="M%d %dH%v" stroke="%s"/>`+"\n", pictureMargin, s.y-14, s.right, palette.Rule)
		heading := s.fill("picture_instead", prose.TextFacts{What: lock, Said: strings.Join(said, " · ")})
		s.y += 4
		s.write(pictureMargin, width, 0, palette.Text, "700", heading)
		if c.Caption != "" {
			s.write(pictureMargin, width, 0, palette.Faint, "400", c.Caption)
		}
		s.y += 14
	}
}

func (s *spaceTime) header() {
	s.print(pictureMargin, s.y, 13, palette.Faint, "600", proportional, "#")
	s.print(pictureMargin+42, s.y, 13, palette.Faint, "600", proportional, s.picture.text("time"))
	s.Names(s.y)
	s.y += 22
}

// layOut gives each row its place and its text. A row that is left out has the place of
// the next one.
func (s *spaceTime) layOut() {
	s.Mid = make([]float64, len(s.picture.Rows))
	next := 0
	for _, i := range s.Rows {
		if i > next && !s.captions {
			s.Skip(s.y + 2)
			s.y += 8
		}
		if s.captions && next > 0 && i > next {
			s.say(pictureMargin, s.y+3, 12, palette.Faint, "400", "·") // numbers without a row
		}
		for ; next < i; next++ {
			s.Mid[next] = float64(s.y) - 4
		}
		s.row(i)
		next = i + 1
	}
	if s.captions {
		s.caption(len(s.picture.Rows))
	}
	for ; next < len(s.Mid); next++ {
		s.Mid[next] = float64(s.y)
	}
}

// row lays out one row: its captions, the time that passes, its texts.
func (s *spaceTime) row(i int) {
	if s.captions {
		s.caption(i)
	}
	start := s.y
	s.y += s.Gap(i, s.y, vector.QuietHeight)
	size, height, cell := pictureText, vector.RowHeight, pictureCell
	if s.quiet(i) {
		size, height, cell = quietText, vector.QuietHeight, quietCell
	}
	words, broken := s.rowTexts(i, cell)
	if s.here == i {
		lines := max(1, len(words)+len(broken))
		s.Ground.Put(`<rect x="%d" y="%d" width="%v" height="%d" fill="%s" rx="4"/>`+"\n", pictureMargin-8, start, s.right-pictureMargin+16, s.y-start+height+(lines-1)*20, palette.Marked)
	}
	s.Mid[i] = float64(s.y) + float64(height)/2
	base := s.y + height/2 + 5
	s.say(pictureMargin, base, 12, palette.Faint, "400", strconv.Itoa(i+1))
	if s.tells(i) {
		s.say(pictureMargin+42, base, 12, palette.Faint, "400", s.Time(i).String())
	}
	colour, weight := s.colourOf(i), "400"
	if s.here == i || s.touches(i, diagram.Declined) {
		weight = "700"
	}
	if name := s.picture.Rows[i].Who; name != "" && len(words) > 0 {
		s.say(s.text, base, size, palette.Client(s.client(s.picture.Rows[i])), "700", name)
		words[0] = strings.Repeat(" ", len([]rune(name))) + strings.TrimPrefix(words[0], name)
	}
	for n, line := range words {
		s.say(s.text, base+20*n, size, colour, weight, line)
	}
	for n, line := range broken {
		s.say(s.text, base+20*(len(words)+n), pictureText, palette.Harm, "700", line)
	}
	lines := len(words) + len(broken)
	for _, g := range s.longer(i) {
		for _, line := range s.wrap(s.fill("picture_longer_ends", prose.TextFacts{What: g.Lease.String()}), s.right-s.text, 0) {
			s.say(s.text, base+20*lines, quietText, palette.Client(g.Client), "400", line)
			lines++
		}
	}
	s.y += height + 20*max(0, lines-1)
}

// say writes a text that nothing covers.
func (s *spaceTime) say(x float64, y, size int, colour palette.Ink, weight, text string) {
	s.Front.Print(x, y, size, colour, weight, vector.Monospaced, render.Plain(text))
}

// tells reports whether the time has changed since the row before.
func (s *spaceTime) tells(i int) bool {
	return i == s.Rows[0] || s.Time(i) != s.Time(i-1)
}

// longer returns the longer leases that would have ended at a row, each once.
func (s *spaceTime) longer(i int) (out []diagram.Ghost) {
	for _, g := range s.Ghosts {
		same := func(o diagram.Ghost) bool { return o.Lane == g.Lane && o.From == g.From }
		if first := slices.IndexFunc(s.Ghosts, same); s.captions && g.Lease > 0 && s.Ghosts[first] == g && g.To == i {
			out = append(out, g)
		}
	}
	return out
}

// touches reports whether somebody touches what the lock guards at a row, in some way.
func (s *spaceTime) touches(i int, how diagram.Access) bool {
	actor := s.Actor(s.picture.Rows[i])
	if actor < 0 {
		return false
	}
	touch := s.Diagram.Marks(actor, i).Touch
	return touch != nil && touch.Access == how
}

func (s *spaceTime) quiet(i int) bool { return vector.Quiet(&s.Diagram.Run.Rows[i]) }

func (s *spaceTime) colourOf(i int) palette.Ink {
	if s.quiet(i) && !s.touches(i, diagram.Declined) {
		return palette.Faint
	}
	return palette.Client(s.client(s.picture.Rows[i]))
}

// rowTexts wraps a row's text, the output of its command, and its violations.
func (s *spaceTime) rowTexts(i int, cell float64) (words, broken []string) {
	step, width := s.picture.Rows[i], (s.right-s.text)*pictureCell/cell
	text := join(step.Who, s.said(step))
	if step.Source != "" {
		text += "  " + source(step)
	}
	if step.Command == nil || len(step.Found) == 0 { // a check that finds something says no more
		words = s.wrap(text, width, 3)
		for _, out := range step.Printed(s.book) {
			words = append(words, s.wrap(out, width, 0)...)
		}
	}
	for _, n := range step.Found {
		broken = append(broken, s.wrap("✗ "+s.Violations[n].Verdict, s.right-s.text, 0)...)
	}
	return words, broken
}

// caption writes the story's words before the first row of a command that is drawn, and
// after the last row those that are left.
func (s *spaceTime) caption(i int) {
	for ; s.told < len(s.Commands) && s.Commands[s.told].From <= i; s.told++ {
		c := s.Commands[s.told]
		if strings.HasPrefix(c.Text, "replay ") {
			s.instead = append(s.instead, s.told)
			continue
		}
		if c.Caption == "" {
			continue
		}
		s.y += 8
		for _, line := range s.wrap(c.Caption, s.right-s.text, 0) {
			s.y += 20
			s.say(s.text, s.y-4, pictureText, palette.Text, "700", line)
		}
		s.y += 4
	}
}
