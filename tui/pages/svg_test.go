package pages

import (
	"fmt"
	"html"
	"lockstep/internal/palette"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// A cell of a frame and the frame's border, in the units of the picture.
const (
	cellWidth  = 9
	cellHeight = 19
	border     = 14
)

// drawn are glyphs that fonts draw in different widths, or leave out: as lines,
// in units of a cell, and whether they are filled.
var drawn = map[rune]struct {
	path   string
	filled bool
}{
	'╌': {"m1 9.5h3m2 0h3", false},
	'╎': {"m4.5 1v7m0 3v7", false},
	'◉': {"m4.5 5.5a4 4 0 1 0 .01 0m0 2.2a1.8 1.8 0 1 1 -.01 0", true},
	'◊': {"m4.5 4.5l3.5 5l-3.5 5l-3.5-5z", false},
	'▮': {"m1.5 4h6v11h-6z", true},
	'▰': {"m2.5 6h6l-2 7h-6z", true},
	'▱': {"m2.5 6h6l-2 7h-6z", false},
	'▸': {"m2 5l6 4.5l-6 4.5z", true},
	'◂': {"m7 5l-6 4.5l6 4.5z", true},
	'⋮': {"m4.5 2v2m0 3v2m0 3v2m0 3v2", false},
	'▹': {"m2 5l6 4.5l-6 4.5z", false},
	'▾': {"m.5 6h8l-4 7z", true},
	'✗': {"m1 4.5l7 10m0-10l-7 10", false},
}

// svg draws a frame of so many cells as a picture that is the same in every
// font.
func svg(frame, title string, on palette.Background) string {
	w, h := lipgloss.Size(frame)
	cells := cellbuf.NewBuffer(w, h)
	cellbuf.SetContent(cells, frame)
	var out strings.Builder
	width, height := w*cellWidth+2*border, h*cellHeight+2*border
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
<title>%s</title>
<style>text{font:15px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.b{font-weight:bold}.r{shape-rendering:crispEdges}</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="9" fill="%s" stroke="%s"/>
`, width, height, width, height, html.EscapeString(title), width-1, height-1, on.Hex(palette.Ground), on.Hex(palette.Rule))
	shapes := map[string]string{} // what is drawn, by how
	for y := range h {
		for x := 0; x < w; {
			x = drawRun(&out, shapes, cells.Line(y), x, y, on)
		}
	}
	for _, how := range slices.Sorted(maps.Keys(shapes)) {
		fmt.Fprintf(&out, "<path %s d=\"%s\"/>\n", how, shapes[how])
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// drawRun draws the cells of a line from x on that look alike, and returns
// where they end.
func drawRun(out *strings.Builder, shapes map[string]string, line cellbuf.Line, x, y int, on palette.Background) int {
	first := line.At(x)
	fore, back := colours(first.Style, on)
	left, top := border+x*cellWidth, border+y*cellHeight
	if glyph, ok := drawn[first.Rune]; ok {
		how := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.7"`, fore)
		if glyph.filled {
			how = fmt.Sprintf(`fill="%s" fill-rule="evenodd"`, fore)
		}
		fillRect(out, back, left, top, 1, on)
		shapes[how] += fmt.Sprintf("M%d %d%s", left, top, glyph.path)
		return x + 1
	}
	text, end := "", x
	for ; end < len(line); end++ {
		c := line.At(end)
		if _, shape := drawn[c.Rune]; shape || !c.Style.Equal(&first.Style) {
			break
		}
		text += c.String()
	}
	fillRect(out, back, left, top, end-x, on)
	if first.Style.UlStyle != cellbuf.NoUnderline {
		shapes[fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.2"`, fore)] += fmt.Sprintf("M%d %dh%d", left, top+cellHeight-2, (end-x)*cellWidth)
	}
	if shown := strings.TrimRight(text, " "); shown != "" {
		lead := len(shown) - len(strings.TrimLeft(shown, " "))
		shown = shown[lead:]
		weight := ""
		if first.Style.Attrs.Contains(cellbuf.BoldAttr) {
			weight = ` class="b"`
		}
		fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"%s\"%s>%s</text>\n",
			left+lead*cellWidth, top+cellHeight-5, ansi.StringWidth(shown)*cellWidth, fore, weight, html.EscapeString(shown))
	}
	return end
}

func fillRect(out *strings.Builder, colour string, x, y, cells int, on palette.Background) {
	if colour != on.Hex(palette.Ground) {
		fmt.Fprintf(out, "<rect class=\"r\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y, cells*cellWidth, cellHeight, colour)
	}
}

// colours are those of a cell's text and of its ground.
func colours(s cellbuf.Style, on palette.Background) (fore, back string) {
	fore, back = on.Hex(palette.Text), on.Hex(palette.Ground)
	if s.Fg != nil {
		fore = hex(s.Fg)
	}
	if s.Bg != nil {
		back = hex(s.Bg)
	}
	if s.Attrs.Contains(cellbuf.ReverseAttr) {
		fore, back = back, fore
	}
	return fore, back
}

func hex(c ansi.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
