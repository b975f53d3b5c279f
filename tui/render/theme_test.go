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
		style, ok := th.Field(i).Interface().(lipgloss.Style)
		if !ok {
			continue
		}
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
