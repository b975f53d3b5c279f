package tui

import (
	"reflect"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"lockstep/tui/pages"
)

// TestWhatHappens on the terminal, as the pages hear of it.
func TestWhatHappens(t *testing.T) {
	runes := func(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }
	pasted := runes("ls1")
	pasted.Paste = true
	alt := runes("x")
	alt.Alt = true
	press := func(b tea.MouseButton) tea.MouseMsg {
		return tea.MouseMsg{X: 3, Y: 4, Button: b, Action: tea.MouseActionPress}
	}
	for _, c := range []struct {
		msg  tea.Msg
		want any
	}{
		{tea.WindowSizeMsg{Width: 80, Height: 24}, pages.Size{Width: 80, Height: 24}},
		{runes("l"), pages.Keys{pages.KeyNamed("l")}},
		{runes("l界"), pages.Keys{pages.KeyNamed("l"), pages.KeyNamed("界")}}, // a slow line
		{pasted, pages.Keys{{Text: "ls1"}}},
		{alt, pages.Keys{{Name: "alt+x", Text: "x"}}},
		{tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}, pages.Keys{pages.KeyNamed(" ")}},
		{tea.KeyMsg{Type: tea.KeyEnter}, pages.Keys{pages.KeyNamed("enter")}},
		{tea.KeyMsg{Type: tea.KeyCtrlJ}, pages.Keys{pages.KeyNamed("enter")}}, // pressed too early
		{tea.KeyMsg{Type: tea.KeyCtrlC}, pages.Keys{pages.KeyNamed("ctrl+c")}},
		{press(tea.MouseButtonLeft), pages.Click{X: 3, Y: 4}},
		{press(tea.MouseButtonWheelUp), pages.Wheel{Up: true}},
		{press(tea.MouseButtonWheelDown), pages.Wheel{}},
		{press(tea.MouseButtonRight), nil},
		{tea.MouseMsg{Button: tea.MouseButtonLeft, Action: tea.MouseActionRelease}, nil},
	} {
		if got := happened(c.msg); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%#v is %#v, want %#v", c.msg, got, c.want)
		}
	}
}

// TestWhatPagesAsk of the terminal, also several things at once.
func TestWhatPagesAsk(t *testing.T) {
	ask := func(what any) pages.Cmd { return func() any { return what } }
	all := map[any]tea.Msg{pages.Quit{}: tea.QuitMsg{}, pages.Interrupt{}: tea.InterruptMsg{}, pages.Suspend{}: tea.SuspendMsg{}, "news": "news"}
	for what, want := range all {
		if got := command(ask(what))(); got != want {
			t.Errorf("%#v asks for %#v, want %#v", what, got, want)
		}
		several, _ := command(ask(pages.Batch{ask("news"), ask(what)}))().(tea.BatchMsg)
		if len(several) != 2 || several[1]() != want {
			t.Errorf("%#v beside something else asks for %v", what, several)
		}
	}
	if command(nil) != nil {
		t.Error("nothing asks for something")
	}
}

// TestNoMouse: nothing is clicked on where the mouse is the terminal's.
func TestNoMouse(t *testing.T) {
	for _, mouse := range []bool{false, true} {
		s := pages.New(t.Context(), Options{})
		defer s.End()
		s.Resize(80, 24)
		m := terminal{Shell: s, mouse: mouse}
		before, _, found := strings.Cut(m.View(), "? help")
		y := strings.Count(before, "\n")
		x := ansi.StringWidth(before[strings.LastIndex(before, "\n")+1:])
		m.Update(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		if opens := !strings.Contains(m.View(), "? help"); !found || opens != mouse {
			t.Errorf("with a mouse: %t, and it is %t that a click opens the help:\n%s", mouse, opens, m.View())
		}
	}
}
