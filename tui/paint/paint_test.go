package paint

import (
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/tui/render"
)

// TestNoColours: where there are none, no style does anything, on any background.
func TestNoColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.Ascii)
	line := render.Line{render.Faint.Of("t"), render.Alarm.Of("e"), render.Column.Of("x"), {Text: "t", Role: render.Lit, Client: 1}}
	if got := New(r, palette.OnDark).Frame([]render.Line{line}); got != "text" {
		t.Errorf("%q", got)
	}
}

// TestEachClientIsPainted: in its colour, reversed where it is lit; a client too many is
// strong like all that stands out.
func TestEachClientIsPainted(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI256)
	p := New(r, palette.OnDark)
	for want, span := range map[string]render.Span{
		"\x1b[1;38;5;75mA\x1b[0m":    {Text: "A", Role: render.Strong, Client: 1},
		"\x1b[1;7;38;5;221mB\x1b[0m": {Text: "B", Role: render.Lit, Client: 2},
		"\x1b[1mE\x1b[0m":            {Text: "E", Role: render.Strong, Client: 5},
		"\x1b[7mE\x1b[0m":            {Text: "E", Role: render.Lit},
		"plain":                      {Text: "plain"},
	} {
		if got := p.Frame([]render.Line{{span, render.Normal.Of("  ")}}); got != want {
			t.Errorf("%+v is %q, want %q", span, got, want)
		}
	}
}
