package export

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/tui/paint"
	"lockstep/tui/render"
)

// This file draws the run as a picture for a slide: lanes downwards, one line a
// step. Each shape of the SVG has its own colours, since slides and word
// processors ignore style sheets.

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
	ink     map[string]string // colours by name
	clients []string
	y       int
	marks   map[int]int // of causes, by step
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
	p := &picture{Lesson: l, ink: map[string]string{}, clients: paint.ClientColours(on), y: pictureMargin + 12, marks: map[int]int{}}
	for _, pair := range strings.Split(palettes[on], ";") {
		name, colour, _ := strings.Cut(strings.TrimPrefix(pair, "--"), ":")
		p.ink[name] = colour
	}
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
	out.put(`<rect width="100%%" height="100%%" fill="%s"/>`+"\n", p.ink["bg"])
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

func (p *picture) client(n int) string {
	if n >= 1 && n <= len(p.clients) {
		return p.clients[n-1]
	}
	return p.ink["fg"]
}

func (p *picture) heading(caption string) {
	p.print(pictureMargin, p.y, 26, p.ink["fg"], "700", proportional, render.Trim(oneLine(p.Title), 80))
	p.y += 26
	p.print(pictureMargin, p.y, 16, p.ink["faint"], "400", proportional, render.Trim(oneLine(p.Lock), 130))
	p.y += 30
	if caption != "" {
		p.write(pictureMargin, pictureWidth-2*pictureMargin, 3, p.ink["fg"], "600", caption)
		p.y += 6
	}
}

// whole draws all steps, with the story's captions between them.
func (p *picture) whole() {
	p.heading("")
	p.header()
	for _, c := range p.Commands {
		if c.Caption != "" {
			p.y += 10
			p.write(pictureMargin, pictureWidth-2*pictureMargin, 0, p.ink["fg"], "700", c.Caption)
			p.y += 4
		}
		for i := c.From; i < c.To; i++ {
			p.row(i, pictureWidth-pictureMargin, false)
		}
	}
	p.write(pictureMargin, pictureWidth-2*pictureMargin, 0, p.ink["faint"], "400", p.labelled("consequence", p.Consequence))
}

// left is where a row's text begins.
func (p *picture) left() float64 { return pictureMargin + 120 + float64(p.lane()*len(p.Lanes)) }

// lane is the width of a lane, narrower if there are many.
func (p *picture) lane() int { return min(pictureLane, 420/max(1, len(p.Lanes))) }

func (p *picture) header() {
	p.print(pictureMargin, p.y, 13, p.ink["faint"], "600", proportional, "#")
	p.print(pictureMargin+42, p.y, 13, p.ink["faint"], "600", proportional, p.text("time"))
	for i, l := range p.Lanes {
		p.put(`<g text-anchor="middle">`)
		p.print(p.at(i), p.y, 14, p.client(l.Client), "700", monospaced, render.Trim(l.Name, p.lane()/8))
		p.put("</g>\n")
	}
	p.y += 8
	p.put(`<line x1="%d" x2="%d" y1="%d" y2="%[3]d" stroke="%s"/>`+"\n", pictureMargin, pictureWidth-pictureMargin, p.y, p.ink["rule"])
	p.y += pictureLine
}

func (p *picture) at(lane int) float64 {
	return pictureMargin + 120 + float64(p.lane())*(float64(lane)+.5) - 10
}

// rowLines wraps a step's text.
func (p *picture) rowLines(i int, right float64) (words, output, broken []string) {
	s, width := p.Steps[i], right-p.left()
	text := join(s.Who, s.Text)
	if s.Line > 0 {
		text += "  " + s.source()
	}
	words = p.wrap(text, width, 3)
	for _, out := range s.Output {
		output = append(output, p.wrap(out, width, 0)...)
	}
	for _, n := range s.Violations {
		broken = append(broken, p.wrap("✗ "+p.Violations[n].Says, width, 0)...)
	}
	return words, output, broken
}

// row draws one step.
func (p *picture) row(i int, right float64, here bool) {
	words, output, broken := p.rowLines(i, right)
	lines := max(1, len(words)+len(output)+len(broken))
	top := p.y - 16
	if here {
		p.put(`<rect x="%d" y="%d" width="%s" height="%d" fill="%s"/>`+"\n", pictureMargin-8, top, number(right-pictureMargin+16), lines*pictureLine, p.ink["mark"])
	}
	for lane := range p.Lanes {
		p.belief(i, lane, top, lines*pictureLine)
	}
	p.wire(i, top+pictureLine/2)
	for lane := range p.Lanes {
		p.mark(i, lane, top+pictureLine/2)
	}
	s := p.Steps[i]
	p.print(pictureMargin, p.y, 13, p.ink["faint"], "400", monospaced, strconv.Itoa(i+1))
	p.print(pictureMargin+42, p.y, 13, p.ink["faint"], "400", monospaced, render.Trim(s.Time, 9))
	weight := map[bool]string{true: "700", false: "400"}[here || len(broken) > 0]
	for n, line := range slices.Concat(words, output, broken) {
		colour := p.ink["fg"]
		if n >= len(words)+len(output) {
			colour = p.ink["bad"]
		}
		p.print(p.left(), p.y, pictureText, colour, weight, monospaced, line)
		p.y += pictureLine
	}
	p.y += (lines - len(words) - len(output) - len(broken)) * pictureLine
}

// belief draws a lane's line by its client's belief.
func (p *picture) belief(i, lane, top, height int) {
	l, s, x := p.Lanes[lane], p.Steps[i], p.at(lane)
	hold := lesson.NotHeld
	if l.Main() {
		hold = s.Beliefs[l.Client-1].Hold
	}
	bar := func(width float64, fill, stroke, opacity string) {
		p.put(`<rect x="%s" y="%d" width="%s" height="%d" fill="%s" stroke="%s" fill-opacity="%s"/>`+"\n", number(x-width/2), top, number(width), height, fill, stroke, opacity)
	}
	switch {
	case hold == lesson.Dead || s.Marks[lane] == lesson.Gone:
	case hold == lesson.Held:
		bar(6, p.client(l.Client), "none", "0.5")
	case hold == lesson.AtWork:
		bar(16, p.client(l.Client), "none", "0.75")
	case hold == lesson.Wrongly || hold == lesson.Unprotected:
		bar(16, p.ink["bad"], "none", "0.4")
		p.put(`<path d="M%s %dl12 12m-12 0l12 -12" stroke="%s" stroke-width="2"/>`+"\n", number(x-6), top+5, p.ink["bad"])
	default:
		p.put(`<line x1="%s" x2="%[1]s" y1="%d" y2="%d" stroke="%s" stroke-width="2" stroke-dasharray="2 4"/>`+"\n", number(x), top, top+height, p.ink["rule"])
	}
}

func (p *picture) wire(i, y int) {
	if s := p.Steps[i]; s.From >= 0 {
		p.put(`<line x1="%s" x2="%s" y1="%d" y2="%[3]d" stroke="%s" stroke-width="2" stroke-dasharray="6 3"/>`+"\n", number(p.at(s.From)), number(p.at(s.To)), y, p.client(p.Lanes[s.From].Client))
	}
}

func (p *picture) mark(i, lane, y int) {
	s, x := p.Steps[i], p.at(lane)
	colour := p.client(p.Lanes[lane].Client)
	if n := p.marks[i+1]; n > 0 && lane == s.Actor {
		p.disc(x, y, n)
		return
	}
	switch s.Marks[lane] {
	case lesson.Acts:
		p.put(`<circle cx="%s" cy="%d" r="5.5" fill="%s" stroke="%s" stroke-width="2"/>`+"\n", number(x), y, colour, p.ink["bg"])
	case lesson.Hit:
		p.put(`<path d="M%s %dl7 7l-7 7l-7 -7z" fill="%s"/>`+"\n", number(x), y-7, p.ink["fg"])
	case lesson.Faulted:
		p.put(`<rect x="%s" y="%d" width="14" height="16" rx="2" fill="%s"/>`+"\n", number(x-7), y-8, p.ink["bad"])
		p.put(`<g text-anchor="middle">`)
		p.print(x, y+5, 14, p.ink["bg"], "700", monospaced, "!")
		p.put("</g>\n")
	}
}

// disc draws the number of a cause.
func (p *picture) disc(x float64, y, n int) {
	p.put(`<g text-anchor="middle"><circle cx="%s" cy="%d" r="10" fill="%s"/>`, number(x), y, p.ink["fg"])
	p.print(x, y+5, 14, p.ink["bg"], "700", monospaced, strconv.Itoa(n))
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
