package paint

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"

	"lockstep/tui/render"
)

// luminance is WCAG's, of a colour of 256 or in hexadecimal.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	c, ok := termenv.ANSI256.Color(colour), true
	if c == nil {
		t.Fatalf("no colour %s", colour)
	}
	var rgb colorful.Color
	if strings.HasPrefix(colour, "#") {
		hex, err := colorful.Hex(colour)
		rgb, ok = hex, err == nil
	} else {
		rgb = termenv.ConvertToRGB(c)
	}
	if !ok {
		t.Fatalf("no colour %s", colour)
	}
	r, g, b := rgb.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// TestClientsAreReadable: on backgrounds that terminals have, with the contrast
// that WCAG asks of text, and no client looks like another.
func TestClientsAreReadable(t *testing.T) {
	for b, behind := range map[Background][]string{OnDark: {"#000000", "#1e1e1e", "#002b36"}, OnLight: {"#ffffff", "#fdf6e3"}} {
		all := []string{faintColours[b].ANSI256}
		for _, paint := range behind {
			x, y := luminance(t, faintColours[b].ANSI256), luminance(t, paint)
			if ratio := (max(x, y) + 0.05) / (min(x, y) + 0.05); ratio < 4.5 {
				t.Errorf("what is faint on %s has a contrast of %.1f", paint, ratio)
			}
		}
		for _, c := range clientColours[b] {
			if slices.Contains(all, c.ANSI256) {
				t.Errorf("two clients are %s", c.ANSI256)
			}
			all = append(all, c.ANSI256)
			for _, paint := range behind {
				x, y := luminance(t, c.ANSI256), luminance(t, paint)
				if ratio := (max(x, y) + 0.05) / (min(x, y) + 0.05); ratio < 4.5 {
					t.Errorf("%s on %s has a contrast of %.1f", c.ANSI256, paint, ratio)
				}
			}
		}
	}
}

// TestColours: all colours are of the terminal's own palette, none is hard to
// read on a light or on a dark background, and no background is painted.
func TestColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI)
	p := New(r, OnUnknown)
	readable := []lipgloss.TerminalColor{
		lipgloss.NoColor{}, lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("4"), lipgloss.Color("5"), lipgloss.Color("6"),
	}
	for role, style := range p.roles {
		if !slices.Contains(readable, style.GetForeground()) {
			t.Errorf("%d has the colour %v", role, style.GetForeground())
		}
		if (style.GetBackground() != lipgloss.NoColor{}) {
			t.Errorf("%d has the background %v", role, style.GetBackground())
		}
	}
	if len(p.roles) < 9 {
		t.Errorf("only %d styles were looked at", len(p.roles))
	}
}

// TestNoColours: where there are none, no style does anything, on any background.
func TestNoColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.Ascii)
	line := render.Line{render.Faint.Of("t"), render.Alarm.Of("e"), render.Column.Of("x"), {Text: "t", Role: render.Lit, Client: 1}}
	if got := New(r, OnDark).Frame([]render.Line{line}); got != "text" {
		t.Errorf("%q", got)
	}
}

// TestEachClientIsPainted: in its colour, reversed where it is lit; a client too many is
// strong like all that stands out.
func TestEachClientIsPainted(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI256)
	p := New(r, OnDark)
	for want, span := range map[string]render.Span{
		"\x1b[1;38;5;141mA\x1b[0m":   {Text: "A", Role: render.Strong, Client: 1},
		"\x1b[1;7;38;5;208mB\x1b[0m": {Text: "B", Role: render.Lit, Client: 2},
		"\x1b[1mD\x1b[0m":            {Text: "D", Role: render.Strong, Client: 4},
		"\x1b[7mE\x1b[0m":            {Text: "E", Role: render.Lit},
		"plain":                      {Text: "plain"},
	} {
		if got := p.Frame([]render.Line{{span, render.Normal.Of("  ")}}); got != want {
			t.Errorf("%+v is %q, want %q", span, got, want)
		}
	}
}
