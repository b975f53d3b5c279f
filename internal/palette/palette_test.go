package palette

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"

	"lockstep/internal/testkit"
)

// grounds are the backgrounds that terminals have: black, the page's, two greys,
// Solarized; white, the page's panel, Solarized.
var grounds = map[Background][]string{
	OnDark:  {"#000000", "#16181d", "#1e1e1e", "#22252c", "#002b36"},
	OnLight: {"#ffffff", "#f4f5f8", "#fdf6e3"},
}

// written are the inks that write text.
var written = []Ink{Text, Faint, Link, Harm, Question, Good, ClientA, ClientB, ClientC, ClientD}

// hex returns a colour of 256 as #rrggbb.
func hex(ansi256 string) string {
	return termenv.ConvertToRGB(termenv.ANSI256.Color(ansi256)).Hex()
}

// luminance is WCAG's.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	c := testkit.Must(colorful.Hex(colour))(t)
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestTextIsReadable: on the backgrounds of pages and terminals, in true colour and in
// 256, with the contrast that WCAG 2.2 asks of text; on an unknown one, with that of
// signs on black and on white.
func TestTextIsReadable(t *testing.T) {
	check := func(what, colour, ground string, least float64) {
		t.Helper()
		if got := contrast(t, colour, ground); got < least {
			t.Errorf("%s %s on %s has a contrast of %.2f, want %.1f", what, colour, ground, got, least)
		}
	}
	for b, behind := range grounds {
		for _, ink := range written {
			check(string(ink)+" on what is marked", b.Hex(ink), b.Hex(Marked), 4.5)
			for _, ground := range behind {
				check(string(ink), b.Hex(ink), ground, 4.5)
				if of := palettes[b][ink].ANSI256; of != "" {
					check(string(ink)+" in 256", hex(of), ground, 4.5)
				}
			}
		}
	}
	for ink, c := range palettes[OnUnknown] {
		for _, ground := range []string{"#000000", "#ffffff"} {
			check(string(ink)+" somewhere", c.Hex, ground, 3)
			check(string(ink)+" somewhere in 256", hex(c.ANSI256), ground, 3)
		}
	}
}

// The simulations of colour blindness are the matrices of Machado, Oliveira and Fernandes
// (2009) for the full deficiency, on linear RGB.
var blindness = map[string][9]float64{
	"everybody":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
}

// TestLanesAreToldApart: two clients' colours differ, also for people with the common
// kinds of colour blindness. 2.3 is the least difference that people notice; beside each
// other on thin bars ten times as much is safe. What is harmful has a shape of its own
// too, and may be nearer.
func TestLanesAreToldApart(t *testing.T) {
	for b := range grounds {
		for who, m := range blindness {
			seen := func(ink Ink) colorful.Color {
				c := testkit.Must(colorful.Hex(b.Hex(ink)))(t)
				r, g, bl := c.LinearRgb()
				return colorful.LinearRgb(m[0]*r+m[1]*g+m[2]*bl, m[3]*r+m[4]*g+m[5]*bl, m[6]*r+m[7]*g+m[8]*bl).Clamped()
			}
			for i, x := range clientInks {
				for _, y := range clientInks[i+1:] {
					if d := 100 * seen(x).DistanceLab(seen(y)); d < 20 {
						t.Errorf("%s: %s and %s on %s differ by %.1f", who, x, y, b, d)
					}
				}
				if d := 100 * seen(x).DistanceLab(seen(Harm)); d < 8 {
					t.Errorf("%s: %s and harm on %s differ by %.1f", who, x, b, d)
				}
			}
		}
	}
}

// TestOneColourOneMeaning: no two inks are the same in any kind of terminal.
func TestOneColourOneMeaning(t *testing.T) {
	for b, palette := range palettes {
		seen := map[string]Ink{}
		for ink, c := range palette {
			for kind, of := range []string{c.Hex, c.ANSI256, c.ANSI} {
				key := fmt.Sprint(kind, " ", of)
				if other, twice := seen[key]; twice && of != "" {
					t.Errorf("on %q, %s and %s are both %s", b, other, ink, of)
				}
				seen[key] = ink
			}
		}
	}
	if math.IsNaN(luminance(t, OnDark.Hex(Text))) || len(palettes[OnDark]) != len(inks) || len(palettes[OnLight]) != len(inks) {
		t.Error("a palette lacks an ink")
	}
}
