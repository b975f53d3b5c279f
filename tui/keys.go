package tui

import (
	"github.com/charmbracelet/bubbles/help"
	"github.com/charmbracelet/bubbles/key"
)

// A keyMap is every key of the program, once. A binding that does nothing on
// the present screen is disabled, and the help leaves it out.
type keyMap struct {
	Up, Down, Open, Filter               key.Binding
	Step, StepBack, Play, Faster, Slower key.Binding
	First, Last, Next, Previous          key.Binding
	Pane, Card                           key.Binding
	Back, Help, Quit, Interrupt, Suspend key.Binding
}

var _ help.KeyMap = keyMap{}

func newKeyMap() keyMap {
	bind := func(shown, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
	}
	return keyMap{
		Up:        bind("up/k", "up", "up", "k"),
		Down:      bind("down/j", "down", "down", "j"),
		Open:      bind("enter", "open", "enter", "right", "l"),
		Filter:    bind("/", "filter", "/"),
		Step:      bind("right/l", "step", "right", "l", "enter"),
		StepBack:  bind("left/h", "back", "left", "h"),
		Play:      bind("space/p", "play", " ", "p"),
		Faster:    bind("+", "faster", "+", "="),
		Slower:    bind("-", "slower", "-"),
		First:     bind("g/home", "start", "g", "home"),
		Last:      bind("G/end", "end", "G", "end"),
		Next:      bind("v", "violation", "v"),
		Previous:  bind("V", "violation before", "V"),
		Pane:      bind("tab/s", "next pane", "tab", "s"),
		Card:      bind("c", "card", "c"),
		Back:      bind("esc", "leave", "esc"),
		Help:      bind("?", "help", "?"),
		Quit:      bind("q", "quit", "q"),
		Interrupt: bind("ctrl+c", "quit at once", "ctrl+c"),
		Suspend:   bind("ctrl+z", "suspend", "ctrl+z"),
	}
}

// ShortHelp is what the footer shows, the most useful first.
func (k keyMap) ShortHelp() []key.Binding {
	return []key.Binding{
		k.Step, k.StepBack, k.Play, k.Open, k.Next, k.Card, k.Pane, k.Filter, k.Help, k.Quit, k.Back,
	}
}

// FullHelp is what the help screen shows, in groups.
func (k keyMap) FullHelp() [][]key.Binding {
	return [][]key.Binding{
		{k.Step, k.StepBack, k.First, k.Last, k.Next, k.Previous},
		{k.Play, k.Faster, k.Slower},
		{k.Up, k.Down, k.Open, k.Filter, k.Card, k.Pane},
		{k.Back, k.Help, k.Quit, k.Interrupt, k.Suspend},
	}
}
