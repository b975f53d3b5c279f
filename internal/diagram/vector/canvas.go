// Package vector paints a space-time diagram as SVG.
//
// A Painter paints the shapes at the places that a layout gives them; Lanes is the layout
// without texts, for a page that writes these beside the picture.
package vector

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lockstep/internal/palette"
)

// Monospaced is the font of names.
const Monospaced = `ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace`

// A Canvas is a piece of SVG in the making.
type Canvas struct {
	strings.Builder
	Ink func(palette.Ink) string // a colour as SVG has it
}

// Put writes SVG, its colours as the canvas has them and coordinates with at most one
// decimal.
func (c *Canvas) Put(format string, args ...any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case float64:
			args[i] = strconv.FormatFloat(math.Round(arg*10)/10, 'f', -1, 64)
		case palette.Ink:
			args[i] = c.Ink(arg)
		}
	}
	fmt.Fprintf(&c.Builder, format, args...)
}

// Print writes one line of text, of which no character is kept that XML cannot hold.
func (c *Canvas) Print(x float64, y, size int, colour palette.Ink, weight, font, text string) {
	c.Put(`<text x="%v" y="%d" font-family="%s" font-size="%d" font-weight="%s" fill="%s" xml:space="preserve">%s</text>`+"\n",
		x, y, font, size, weight, colour, Escape(text))
}

// Disc draws the number of a cause.
func (c *Canvas) Disc(x float64, y, n int) {
	c.Put(`<g text-anchor="middle"><circle cx="%v" cy="%d" r="10" fill="%s"/>`, x, y, palette.Text)
	c.Print(x, y+5, 14, palette.Ground, "700", Monospaced, strconv.Itoa(n))
	c.Put("</g>\n")
}

// Escape writes a text for XML; characters that XML cannot hold become U+FFFD.
func Escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // writing to a builder cannot fail
	return out.String()
}
