package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"
)

// coloured is a theme with 256 colours on a background.
func coloured(b Background) Theme {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI256)
	return NewTheme(r, false).On(b)
}

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

// TestEachClientHasItsColour: in its lane, in the band of what it believes and in
// that of what it owns, and the key that it owns.
func TestEachClientHasItsColour(t *testing.T) {
	th, r := coloured(OnDark), fixture(t, "overrun")
	at := 3
	lanes := Lanes(r, Cursor{At: at}, english, th, 80, 10)
	bands := Beliefs(r, r.At(at), Cursor{At: at, Seen: at}, english, th, 80, 9)
	keys := Keys(r.At(at), english, th, 80, 3)
	code := Code{Text: "package p", Line: 1, Who: 1, Letter: "A"}
	lit := code
	lit.Lit = true
	for place, text := range map[string]string{
		"the line that it sent": Source(code, th, 80, 1)[0], "the line that is lit": Source(lit, th, 80, 1)[0],
		"the head of its lane": lanes[0], "its lane": lanes[2], "its belief": bands[1], "what it owns": bands[3], "its key": keys[0],
	} {
		if colour := "38;5;141"; !strings.Contains(text, colour) {
			t.Errorf("%s: no %q in %q", place, colour, text)
		}
	}
}

// TestCausesAreMarked: in the lane of whoever acted and on the ruler, and all else
// steps back.
func TestCausesAreMarked(t *testing.T) {
	r := fixture(t, "overrun")
	at := r.Found[0].Row
	c := Cursor{At: at, Seen: at, Causes: []Cause{{Key: "1", Step: 2}, {Key: "2", Step: 4}}}
	th := coloured(OnDark)
	lanes := Lanes(r, c, english, th, 80, 20)
	ruler := Beliefs(r, r.At(at), c, english, th, 80, 9)[0]
	for number, step := range map[string]int{"1": 2, "2": 4} {
		if mark := th.Mark.Render(number); !strings.Contains(lanes[step], mark) || !strings.Contains(ruler, mark) {
			t.Errorf("%s is not marked in %q and %q", number, lanes[step], ruler)
		}
	}
	for step, strong := range map[int]bool{2: true, 3: false, 4: true} {
		before, _, _ := strings.Cut(lanes[step], r.Rows[step-1].Text.String())
		if strings.HasSuffix(before, "\x1b[1m") != strong {
			t.Errorf("step %d stands out: %t, in %q", step, !strong, lanes[step])
		}
	}
	if low := Lanes(r, c, english, th, 80, 5); !strings.Contains(low[1], r.Rows[1].Text.String()) || !strings.Contains(low[2], r.Rows[3].Text.String()) {
		t.Errorf("where there is little room the causes are not shown: %q", low)
	}
	if narrow := Lanes(r, c, english, th, 14, 20); !strings.HasPrefix(narrow[2], th.Mark.Render("1")) {
		t.Errorf("without lanes: %q", narrow[2])
	}
}

func TestTrimMiddle(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"EVALSHA 1f2e 1 lock:stock A-1 -> 0", 40, "EVALSHA 1f2e 1 lock:stock A-1 -> 0"},
		{"EVALSHA 1f2e 1 lock:stock A-1 -> 0", 20, "EVALSHA 1f2e .. -> 0"},
		{"crashes before EXPIRE lock:stock", 12, "crashes be.."},
		{"EVALSHA {21a618} 1 lock:stock A-1 -> (error) NOSCRIPT", 34, "EVALSHA {21a.. -> (error) NOSCRIPT"},
		{"GET k -> a value that is longer than half", 20, "GET k -> a value t.."},
		{"a -> b", 0, ""},
	} {
		if got := trimMiddle(c.text, c.w); got != c.want {
			t.Errorf("%q in %d: %q, not %q", c.text, c.w, got, c.want)
		}
	}
}
