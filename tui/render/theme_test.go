package render

import (
	"reflect"
	"slices"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// TestColours: all colours are of the terminal's own palette, none is hard to
// read on a light or on a dark background, and no background is painted.
func TestColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI)
	th := reflect.ValueOf(NewTheme(r, false))
	readable := []lipgloss.TerminalColor{
		lipgloss.NoColor{}, lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("4"), lipgloss.Color("5"), lipgloss.Color("6"),
	}
	styles := 0
	for i := range th.NumField() {
		if th.Type().Field(i).Type != reflect.TypeFor[lipgloss.Style]() {
			continue
		}
		style := th.Field(i).Interface().(lipgloss.Style)
		styles++
		name := th.Type().Field(i).Name
		if !slices.Contains(readable, style.GetForeground()) {
			t.Errorf("%s has the colour %v", name, style.GetForeground())
		}
		if (style.GetBackground() != lipgloss.NoColor{}) {
			t.Errorf("%s has the background %v", name, style.GetBackground())
		}
	}
	if styles < 9 {
		t.Errorf("only %d styles were looked at", styles)
	}
}

// TestNoColours: where there are none, no style does anything, on any background.
func TestNoColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.Ascii)
	th := NewTheme(r, false).On(OnDark)
	for _, style := range []lipgloss.Style{th.Faint, th.Alarm, th.Mark, th.Client(0), th.LitBy(1), th.Head.Underline(true)} {
		if got := style.Render("text"); got != "text" {
			t.Errorf("%q", got)
		}
	}
}

// TestWidth: a text takes as many cells as its terminal gives it.
func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "set-del": 7, "锁": 2, "▸ A 锁 ok": 9, "e\u0301": 1, "\x1b[1mbold\x1b[0m": 4, "a\tb": 2} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d cells, want %d", text, got, want)
		}
	}
}
