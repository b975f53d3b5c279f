// Package palette is the one table of colours: of the terminal, of pages, of pictures and
// of the site. Each colour means one thing.
package palette

import (
	"fmt"
	"strings"
)

// A Background is the background of a terminal or a page.
type Background string

// The backgrounds.
const (
	OnUnknown Background = ""
	OnDark    Background = "dark"
	OnLight   Background = "light"
)

// An Ink is what a colour means; its text is the name of the colour on a page.
type Ink string

// The inks. Ground, Panel and Marked are behind text.
const (
	Ground   Ink = "bg"
	Panel    Ink = "panel"
	Marked   Ink = "mark"
	Text     Ink = "fg"
	Faint    Ink = "faint"
	Rule     Ink = "rule"
	Link     Ink = "link" // the focus, and what leads elsewhere
	Harm     Ink = "bad"
	Question Ink = "ask"
	Good     Ink = "good"
	ClientA  Ink = "c1"
	ClientB  Ink = "c2"
	ClientC  Ink = "c3"
	ClientD  Ink = "c4"
)

// clientInks are the colours of clients, in the order of a run. A run with more clients
// leaves the rest without a colour; their names tell them apart.
var clientInks = []Ink{ClientA, ClientB, ClientC, ClientD}

// inks is every ink, in the order of a style sheet.
var inks = []Ink{Ground, Text, Faint, Rule, Panel, Marked, Link, Harm, Question, Good, ClientA, ClientB, ClientC, ClientD}

// A Colour is one colour for each kind of terminal: #rrggbb, and the number among 256 and
// among 16. ANSI is "" where none of 16 fits.
type Colour struct{ Hex, ANSI256, ANSI string }

// palettes are the colours by background. On an unknown background only colours of
// medium brightness are readable, whatever it is.
var palettes = map[Background]map[Ink]Colour{
	OnLight: {
		Ground: {Hex: "#ffffff"}, Panel: {Hex: "#f4f5f8"}, Marked: {Hex: "#fff1c2"}, Rule: {"#c9cdd6", "251", ""},
		Text: {Hex: "#1b1f27"}, Faint: {"#5a6170", "241", ""},
		Link: {"#00688a", "24", ""}, Harm: {"#b3101e", "124", "1"}, Question: {"#6a35b8", "55", ""}, Good: {"#36700d", "22", "2"},
		ClientA: {"#1a5fe0", "26", "4"}, ClientB: {"#946000", "94", "5"}, ClientC: {"#0c776b", "23", "6"}, ClientD: {"#a3178f", "126", ""},
	},
	OnDark: {
		Ground: {Hex: "#16181d"}, Panel: {Hex: "#22252c"}, Marked: {Hex: "#353118"}, Rule: {"#4a505e", "240", ""},
		Text: {Hex: "#e6e8ee"}, Faint: {"#a3a9b8", "248", ""},
		Link: {"#5fd7ff", "81", ""}, Harm: {"#ff7a72", "210", "9"}, Question: {"#c9a6ff", "183", "13"}, Good: {"#9bd65a", "149", "10"},
		ClientA: {"#5b9dff", "75", "12"}, ClientB: {"#f8c259", "221", "11"}, ClientC: {"#9ff0d2", "158", "14"}, ClientD: {"#d97bb8", "175", ""},
	},
	OnUnknown: {
		Link: {"#0087af", "31", ""}, Harm: {"#d70000", "160", "1"}, Question: {"#875fd7", "98", ""}, Good: {"#008700", "28", "2"},
		ClientA: {"#0087ff", "33", "6"}, ClientB: {"#af5f00", "130", "5"}, ClientC: {"#008787", "30", "4"}, ClientD: {"#d700af", "163", ""},
	},
}

// Hex returns the colour of an ink as #rrggbb.
func (b Background) Hex(ink Ink) string { return palettes[b][ink].Hex }

// Client returns the ink of a client, from 1; Text for nobody and for one too many.
func Client(n int) Ink {
	if n < 1 || n > len(clientInks) {
		return Text
	}
	return clientInks[n-1]
}

// CSS defines the inks as variables of a style sheet, by the reader's choice of light or
// dark.
func CSS() string {
	of := func(b Background) string {
		var out strings.Builder
		for _, ink := range inks {
			fmt.Fprintf(&out, "--%s:%s;", ink, b.Hex(ink))
		}
		return ":root{" + strings.TrimSuffix(out.String(), ";") + "}"
	}
	return of(OnLight) + "@media screen and (prefers-color-scheme:dark){" + of(OnDark) + "}\n"
}

// Of returns the colour of an ink; the zero Colour where the terminal's own is best.
func (b Background) Of(ink Ink) Colour { return palettes[b][ink] }
