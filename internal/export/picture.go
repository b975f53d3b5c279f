package export

import (
	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/diagram/vector"
	"lockstep/internal/lang"
	"lockstep/internal/palette"
	"lockstep/tui/render"
)

// This file writes a picture of a run: the whole space-time diagram, or one step as a
// slide. Each shape of the SVG has its own colours, since slides and word processors
// ignore style sheets.

const (
	pictureWidth  = 1280
	slideHeight   = 720
	pictureMargin = 40
	pictureText   = 15  // size of the letters
	pictureCell   = 9.1 // width of such a letter in a vector.Monospaced font
	pictureLine   = 22
	proportional  = `system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif`
)

// A picture is an SVG in the making.
type picture struct {
	*Lesson
	vector.Canvas
	y     int
	marks map[int]int // of causes, by step
}

// SVG draws one step as a slide or, for step 0, the whole run.
func (l *Lesson) SVG(o Options) ([]byte, error) {
	on, step := palette.OnLight, o.Step
	if o.Dark {
		on = palette.OnDark
	}
	if step > len(l.Rows) {
		return nil, lang.Errorf("step %d: the run has %d steps", step, len(l.Rows))
	}
	p := &picture{Lesson: l, Canvas: vector.Canvas{Ink: on.Hex}, y: pictureMargin + 12, marks: map[int]int{}}
	height := slideHeight
	if step == 0 {
		p.whole()
		height = p.y + pictureMargin
	} else {
		p.slide(step)
	}
	out := vector.Canvas{Ink: on.Hex}
	out.Put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img">`+"\n", pictureWidth, height)
	out.Put("<title>%s</title>\n", vector.Escape(oneLine(l.Title)))
	out.Put(`<rect width="100%%" height="100%%" fill="%s"/>`+"\n", palette.Ground)
	out.WriteString(p.String() + "</svg>\n")
	return []byte(out.String()), nil
}

// print writes a line of text.
func (p *picture) print(x float64, y, size int, colour palette.Ink, weight, font, text string) {
	p.Print(x, y, size, colour, weight, font, render.Plain(text))
}

// write wraps a text into at most the given number of lines and moves below
// them.
func (p *picture) write(x, width float64, most int, colour palette.Ink, weight, text string) {
	for _, line := range p.wrap(text, width, most) {
		p.print(x, p.y, pictureText, colour, weight, vector.Monospaced, line)
		p.y += pictureLine
	}
}

func (p *picture) wrap(text string, width float64, most int) []string {
	lines := render.WrapText(oneLine(text), int(width/pictureCell))
	if most > 0 && len(lines) > most {
		lines = lines[:most]
		lines[most-1] = ansi.Truncate(lines[most-1], int(width/pictureCell)-2, "") + ".."
	}
	return lines
}

func (p *picture) heading(caption string) {
	p.print(pictureMargin, p.y, 26, palette.Text, "700", proportional, render.Trim(oneLine(p.Title), 80))
	p.y += 26
	p.print(pictureMargin, p.y, 16, palette.Faint, "400", proportional, render.Trim(oneLine(p.Lock), 130))
	p.y += 30
	if caption != "" {
		p.write(pictureMargin, pictureWidth-2*pictureMargin, 3, palette.Text, "600", caption)
		p.y += 6
	}
}

// whole draws the diagram of the whole run, with the story's captions beside it. A
// command without events, such as check, has a row only if a violation is found there.
func (p *picture) whole() {
	p.heading("")
	d := newSpaceTime(p, p.diagram, pictureWidth-pictureMargin)
	for i, row := range p.Rows {
		if row.Command == nil && i > 0 || len(row.Found) > 0 {
			d.Rows = append(d.Rows, i)
		}
	}
	d.captions = true
	d.draw()
	consequence := p.Consequence
	if consequence != "" {
		consequence = p.book.Pair(p.text("consequence"), consequence)
	}
	p.write(pictureMargin, pictureWidth-2*pictureMargin, 0, palette.Faint, "400", consequence)
	p.y += 14
	d.others()
}
