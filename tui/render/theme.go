package render

import (
	_ "embed"
	"reflect"
	"strings"

	"lockstep/internal/prose"
)

// Glyphs are the marks of a frame. Each takes one cell, even on terminals that draw
// characters of ambiguous width in two.
type Glyphs struct {
	Here, Left, Was, Next, Idle, Inside, Acts, Changes, Looks, Nothing, Wire, Falls, Rises, Passes, Waits, Fault, Dies, Late, Forgot,
	Over, Freed, Taken, Writes, Declined, Bad, None, Open, Down, Full, Empty, Rule, Bar, Parts, Right, Wrong, Won, Ghost string

	legend []sign
}

// cut marks text that did not fit.
const cut = ".."

// A Theme is the glyphs and the words of a kind of screen. Its methods draw panes of it.
type Theme struct {
	Glyphs
	*prose.Book
	Airy bool // passages have a blank line between them: read from afar
	Flow bool // the face wraps lines and sets off headings: nothing is padded or ruled
}

//go:embed glyphs.txt
var glyphs string

// A sign is a glyph of the legend, and the id of what it means.
type sign struct{ glyph, text string }

// NewTheme returns the theme for Unicode, or for ASCII only.
func NewTheme(onlyASCII bool) (t Theme) {
	for line := range strings.Lines(glyphs) {
		f, glyph := strings.Fields(line), 1
		if f[0] == "#" {
			continue
		}
		if onlyASCII {
			glyph = 2
		}
		if field := reflect.ValueOf(&t.Glyphs).Elem().FieldByName(f[0]); field.IsValid() {
			field.SetString(f[glyph])
		}
		if f[3] != "-" {
			t.legend = append(t.legend, sign{f[glyph], f[3]})
		}
	}
	return t
}
