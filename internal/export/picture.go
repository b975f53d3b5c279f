package export

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lang"
	"lockstep/tui/paint"
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
	pictureCell   = 9.1 // width of such a letter in a monospaced font
	pictureLine   = 22
	pictureLane   = 56
	monospaced    = `ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace`
	proportional  = `system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif`
)

// A picture is an SVG in the making.
type picture struct {
	*Lesson
	svg
	on    paint.Background
	y     int
	marks map[int]int // of causes, by step
}

// SVG draws one step as a slide or, for step 0, the whole run.
func (l *Lesson) SVG(step int, dark bool) ([]byte, error) {
	on := paint.OnLight
	if dark {
		on = paint.OnDark
	}
	if step > len(l.Steps) {
		return nil, lang.Errorf("step %d: the run has %d steps", step, len(l.Steps))
	}
	p := &picture{Lesson: l, on: on, y: pictureMargin + 12, marks: map[int]int{}}
	height := slideHeight
	if step == 0 {
		p.whole()
		height = p.y + pictureMargin
	} else {
		p.slide(step)
	}
	var out svg
	out.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img">`+"\n", pictureWidth, height)
	out.put("<title>%s</title>\n", escape(oneLine(l.Title)))
	out.put(`<rect width="100%%" height="100%%" fill="%s"/>`+"\n", p.ink(paint.Ground))
	out.WriteString(p.String() + "</svg>\n")
	return []byte(out.String()), nil
}

// print writes a line of text.
func (p *picture) print(x float64, y, size int, colour, weight, font, text string) {
	p.put(`<text x="%s" y="%d" font-family="%s" font-size="%d" font-weight="%s" fill="%s" xml:space="preserve">%s</text>`+"\n",
		number(x), y, font, size, weight, colour, escape(render.Plain(text)))
}

// write wraps a text into at most the given number of lines and moves below
// them.
func (p *picture) write(x, width float64, most int, colour, weight, text string) {
	for _, line := range p.wrap(text, width, most) {
		p.print(x, p.y, pictureText, colour, weight, monospaced, line)
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

func (p *picture) ink(i paint.Ink) string { return p.on.Hex(i) }

func (p *picture) client(n int) string { return p.ink(paint.Client(n)) }

func (p *picture) heading(caption string) {
	p.print(pictureMargin, p.y, 26, p.ink(paint.Text), "700", proportional, render.Trim(oneLine(p.Title), 80))
	p.y += 26
	p.print(pictureMargin, p.y, 16, p.ink(paint.Faint), "400", proportional, render.Trim(oneLine(p.Lock), 130))
	p.y += 30
	if caption != "" {
		p.write(pictureMargin, pictureWidth-2*pictureMargin, 3, p.ink(paint.Text), "600", caption)
		p.y += 6
	}
}

// whole draws the diagram of the whole run, with the story's captions beside it. A
// command without events, such as check, has a row only if a violation is found there.
func (p *picture) whole() {
	p.heading("")
	d := newSpaceTime(p, p.diagram, pictureWidth-pictureMargin)
	for i := range p.Steps {
		if s := p.Steps[i]; !s.Command && i > 0 || len(s.Violations) > 0 {
			d.rows = append(d.rows, i)
		}
	}
	d.captions = true
	d.draw()
	p.write(pictureMargin, pictureWidth-2*pictureMargin, 0, p.ink(paint.Faint), "400", p.labelled("consequence", p.Consequence))
}

// disc draws the number of a cause.
func (p *picture) disc(x float64, y, n int) {
	p.put(`<g text-anchor="middle"><circle cx="%s" cy="%d" r="10" fill="%s"/>`, number(x), y, p.ink(paint.Text))
	p.print(x, y+5, 14, p.ink(paint.Ground), "700", monospaced, strconv.Itoa(n))
	p.put("</g>\n")
}

// An svg builds a picture.
type svg struct{ strings.Builder }

func (s *svg) put(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

// escape escapes a text for XML; characters that XML cannot hold become U+FFFD.
func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // writing to a builder cannot fail
	return out.String()
}
