// Package palette is the one table of colours: of the terminal, of pages, of pictures and
// of the site. Each colour means one thing.
package palette

import (
	_ "embed"
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

// A Colour is one colour for each kind of terminal: #rrggbb, and the number among 256 and
// among 16. ANSI is "" where none of 16 fits.
type Colour struct{ Hex, ANSI256, ANSI string }

//go:embed colours.txt
var colours string

// inks is every ink, in the order of a style sheet, and palettes are the colours by
// background. On an unknown background only colours of medium brightness are readable,
// whatever it is.
var inks, palettes = func() (all []Ink, of map[Background]map[Ink]Colour) {
	of = map[Background]map[Ink]Colour{OnLight: {}, OnDark: {}, OnUnknown: {}}
	for line := range strings.Lines(colours) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		ink := Ink(words[0])
		all = append(all, ink)
		for i, b := range []Background{OnLight, OnDark, OnUnknown} {
			if c := (Colour{colour(words[3*i+1]), colour(words[3*i+2]), colour(words[3*i+3])}); c.Hex != "" {
				of[b][ink] = c
			}
		}
	}
	return all, of
}()

func colour(word string) string { return strings.Trim(word, "-") }

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
