package export

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/diagram/vector"
	"lockstep/internal/lesson"
	"lockstep/internal/palette"
)

const (
	slideRight = 800 // right end of the lanes
	slideSide  = 830 // left end of the side column
)

// slide draws one step: the steps before it, the line of code, the keys, the
// beliefs, and the causes of a violation.
func (p *picture) slide(step int) {
	p.heading(p.captionAt(step))
	var card *Violation
	if found := p.Rows[step-1].Found; len(found) > 0 {
		card = &p.Violations[found[0]]
		for i, c := range card.Causes() {
			p.marks[p.step(c)] = i + 1
		}
	}
	bottom := slideHeight - pictureMargin
	if card != nil {
		bottom -= pictureLine * (1 + p.causeLines(card))
	}
	top := p.y
	d := newSpaceTime(p, p.diagram.Until(step-1), slideRight)
	d.Rows, d.here = d.before(step, bottom-p.y-30), step-1
	d.draw()
	p.y = top
	p.side(step, bottom)
	if card != nil {
		p.y = bottom + pictureLine
		p.causes(card)
	}
}

// captionAt is the caption of a step.
func (p *picture) captionAt(step int) string {
	caption := ""
	for _, c := range p.Commands {
		if c.From < step {
			caption = cmp.Or(c.Caption, c.Words)
		}
	}
	return caption
}

// before returns the indices of as many steps up to one as fit: the causes, and
// then the latest.
func (s *spaceTime) before(step, room int) []int {
	rows := []int{step - 1}
	fits := func(i int) bool {
		room -= s.height(i)
		return room >= 0
	}
	if !fits(step - 1) {
		return rows
	}
	for i := range s.picture.Rows[:step-1] {
		if s.marks[i+1] > 0 && fits(i) {
			rows = append(rows, i)
		}
	}
	for i := step - 2; i >= 0 && (slices.Contains(rows, i) || fits(i)); i-- {
		if !slices.Contains(rows, i) {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	return rows
}

// height is how much a row takes.
func (s *spaceTime) height(i int) int {
	trial := newSpaceTime(&picture{Lesson: s.Lesson, Canvas: vector.Canvas{Ink: s.Ink}, marks: s.marks}, s.Diagram, s.right)
	trial.Rows, trial.Mid = []int{i}, make([]float64, len(s.picture.Rows))
	trial.row(i)
	return trial.y + 8
}

// side draws the side column.
func (p *picture) side(step, bottom int) {
	now, width := p.Rows[step-1].Now, float64(pictureWidth-pictureMargin-slideSide)
	label := func(id string) {
		if p.y < bottom {
			p.print(slideSide, p.y, 13, palette.Faint, "600", proportional, p.text(id))
			p.y += pictureLine
		}
	}
	write := func(colour palette.Ink, weight, text string) {
		code := strings.TrimLeft(text, "\t")
		indent := 2 * pictureCell * float64(len(text)-len(code))
		if p.y < bottom {
			p.write(slideSide+indent, width-indent, 2, colour, weight, strings.ReplaceAll(code, "\t", "  "))
		}
	}
	if file, line := p.lit(step); file != nil {
		label("source")
		by := 0
		if p.Rows[step-1].Source != "" {
			by, _ = p.By(step - 1)
		}
		write(palette.Faint, "400", strings.TrimPrefix(file.Name, "strategies/")+":"+strconv.Itoa(line))
		for n := max(1, line-2); n <= min(len(file.Lines), line+1); n++ {
			colour, weight := palette.Text, "400"
			if n == line {
				colour, weight = palette.Client(by), "700"
			}
			write(colour, weight, file.Lines[n-1])
		}
		p.y += 10
	}
	label("keys")
	for _, k := range p.keys(step - 1) {
		weight := map[bool]string{true: "700", false: "400"}[k.Changed]
		write(palette.Client(k.Owner), weight, k.String())
	}
	if len(now.Keys) == 0 {
		write(palette.Text, "400", p.text("no_keys"))
	}
	p.y += 10
	label("beliefs")
	for i, c := range now.Clients {
		text, colour := p.book.Pair(c.Name, c.Believes(p.book)), palette.Client(i+1)
		if c.Hold == lesson.Wrongly {
			text, colour = "✗ "+text, palette.Harm
		}
		write(colour, "400", text)
	}
	write(palette.Text, "400", p.book.Pair(p.store(), now.Truth(p.book)))
}

// lit is the line of code of the latest step that has one.
func (l *Lesson) lit(step int) (*File, int) {
	for i := step - 1; i >= 0; i-- {
		for n := range l.Files {
			file, line := place(l.Rows[i].Source)
			if f := &l.Files[n]; f.Name == file && line <= len(f.Lines) {
				return f, line
			}
		}
	}
	return nil, 0
}

func (p *picture) causeLines(v *Violation) int {
	lines := len(p.wrap(v.Verdict, pictureWidth-2*pictureMargin, 1))
	for _, c := range v.Causes() {
		lines += len(p.wrap(c.Text, pictureWidth-2*pictureMargin-40, 2))
	}
	return lines
}

// causes draws the causes of the violation.
func (p *picture) causes(v *Violation) {
	p.print(pictureMargin, p.y, 18, palette.Harm, "700", proportional, "✗ "+p.book.Pair(v.Says, v.Verdict))
	p.y += pictureLine + 2
	for i, c := range v.Causes() {
		p.Disc(pictureMargin+10, p.y-5, i+1)
		p.write(pictureMargin+32, pictureWidth-2*pictureMargin-40, 2, palette.Text, "400", p.book.Pair(p.nth(p.step(c)), c.Text))
	}
}
