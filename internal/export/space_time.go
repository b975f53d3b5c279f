package export

import (
	"strconv"

	"lockstep/internal/diagram"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/palette"
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
	right    float64 // end of the texts
	text     float64 // where texts begin
}

func newSpaceTime(p *picture, d *diagram.Diagram, right float64) *spaceTime {
	s := &spaceTime{picture: p, here: -1, right: right}
	s.Painter = vector.Painter{Diagram: d, Ink: p.ink, Crowd: p.text("harm_inside"), Marks: p.marks, Left: pictureMargin}
	s.Right = s.PlaceLanes(pictureMargin+112, 64, 84) + 8
	s.text = s.Right + 16
	return s
}

// draw paints the rows below each other and moves below them.
func (s *spaceTime) draw() {
	s.header()
	s.Top = float64(s.y)
	s.layOut()
	s.y += 6
	s.Bottom = float64(s.y)
	s.Paint()
	s.WriteString(s.Painter.String())
	s.y += vector.RowHeight
}

func (s *spaceTime) header() {
	s.print(pictureMargin, s.y, 13, s.ink(palette.Faint), "600", proportional, "#")
	s.print(pictureMargin+42, s.y, 13, s.ink(palette.Faint), "600", proportional, s.picture.text("time"))
	s.Names(s.y)
	s.y += 22
}

// layOut gives each row its place and its text. A row that is left out has the place of
// the next one.
func (s *spaceTime) layOut() {
	s.Mid = make([]float64, len(s.Steps))
	next := 0
	for _, i := range s.Rows {
		if i > next && !s.captions {
			s.Skip(s.y + 2)
			s.y += 8
		}
		for ; next < i; next++ {
			s.Mid[next] = float64(s.y) - 4
		}
		s.row(i)
		next = i + 1
	}
	if s.captions {
		s.caption(len(s.Steps))
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
		s.Ground.Put(`<rect x="%d" y="%d" width="%s" height="%d" fill="%s" rx="4"/>`+"\n", pictureMargin-8, start, vector.Number(s.right-pictureMargin+16), s.y-start+height+(lines-1)*20, s.ink(palette.Marked))
	}
	s.Mid[i] = float64(s.y) + float64(height)/2
	base := s.y + height/2 + 5
	s.say(pictureMargin, base, 12, s.ink(palette.Faint), "400", strconv.Itoa(i+1))
	if s.tells(i) {
		s.say(pictureMargin+42, base, 12, s.ink(palette.Faint), "400", s.Steps[i].Time)
	}
	colour, weight := s.colourOf(i), "400"
	if s.here == i {
		weight = "700"
	}
	for n, line := range words {
		s.say(s.text, base+20*n, size, colour, weight, line)
	}
	for n, line := range broken {
		s.say(s.text, base+20*(len(words)+n), pictureText, s.ink(palette.Harm), "700", line)
	}
	s.y += height + 20*max(0, len(words)+len(broken)-1)
}

// say writes a text that nothing covers.
func (s *spaceTime) say(x float64, y, size int, colour, weight, text string) {
	s.Words.Print(x, y, size, colour, weight, vector.Monospaced, render.Plain(text))
}

// tells reports whether the time has changed since the row before.
func (s *spaceTime) tells(i int) bool {
	return i == s.Rows[0] || s.Steps[i].Time != s.Steps[i-1].Time
}

func (s *spaceTime) quiet(i int) bool { return vector.Quiet(&s.Diagram.Run.Rows[i]) }

func (s *spaceTime) colourOf(i int) string {
	step := s.Steps[i]
	switch {
	case step.Actor >= 0 && s.picture.Lanes[step.Actor].Client > 0 && !s.quiet(i):
		return s.client(s.picture.Lanes[step.Actor].Client)
	case s.quiet(i):
		return s.ink(palette.Faint)
	}
	return s.ink(palette.Text)
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
			s.say(s.text, s.y-4, pictureText, s.ink(palette.Text), "700", line)
		}
		s.y += 4
	}
}
