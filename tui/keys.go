package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"lockstep/scenarios/prose"
)

// A keyMap is every key of the program, once. A binding that does nothing on
// the present screen is disabled, and the help leaves it out.
type keyMap struct {
	Up, Down, Left, Right                key.Binding
	Open, Search, Matrix                 key.Binding
	Step, StepBack, Play, Faster, Slower key.Binding
	First, Last, Next, Previous          key.Binding
	Pane, Card, Compare, Copy            key.Binding
	FirstFailure, Cause                  key.Binding
	Take, Levels, Pick, Undo, Redo       key.Binding
	Root, Tip, Branch, BranchBefore      key.Binding
	Hint, GiveUp                         key.Binding
	Answer, Unsure                       key.Binding
	Course, Onward, Backward             key.Binding
	Reset, Confirm                       key.Binding
	Back, Help, Quit, Interrupt, Suspend key.Binding
}

func newKeyMap(b *prose.Book) keyMap {
	bind := func(shown, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keyNames(b, shown), b.Text("does_"+does)))
	}
	return keyMap{
		Up:           bind("up/k", "up", "up", "k"),
		Down:         bind("down/j", "down", "down", "j"),
		Left:         bind("left/h", "left", "left", "h"),
		Right:        bind("right/l", "right", "right", "l"),
		Matrix:       bind("m", "matrix", "m"),
		Open:         bind("enter", "open", "enter", "right", "l"),
		Search:       bind("/", "search", "/"),
		Step:         bind("right/l/enter", "step", "right", "l", "enter"),
		StepBack:     bind("left/h", "back", "left", "h"),
		Play:         bind("space/p", "play", " ", "p"),
		Faster:       bind("+", "faster", "+", "="),
		Slower:       bind("-", "slower", "-"),
		First:        bind("g/home", "first", "g", "home"),
		Last:         bind("G/end", "last", "G", "end"),
		Next:         bind("v", "next", "v"),
		Previous:     bind("V", "previous", "V"),
		Pane:         bind("tab/s", "pane", "tab", "s"),
		Card:         bind("c", "card", "c"),
		Compare:      bind("d", "compare", "d"),
		FirstFailure: bind("f", "first_failure", "f"),
		Cause:        bind("1-9", "cause", strings.Split("123456789", "")...), // as many as there are
		Copy:         bind("y", "copy", "y"),
		Take:         bind("t", "take", "t"),
		Levels:       bind("b", "levels", "b"),
		Pick:         bind("enter", "pick", "enter"),
		Undo:         bind("left/h/u", "undo", "left", "h", "u"),
		Redo:         bind("right/l", "redo", "right", "l"),
		Root:         bind("g/home", "first", "g", "home"),
		Tip:          bind("G/end", "last", "G", "end"),
		Branch:       bind("n", "branch", "n"),
		BranchBefore: bind("N", "branch_before", "N"),
		Hint:         bind("i", "hint", "i"),
		GiveUp:       bind("x", "give_up", "x"),
		Answer:       bind("y/n", "answer", "y", "n"), // others where a question has others
		Unsure:       bind("0", "unsure", "0"),
		Course:       bind("c", "course", "c"),
		Onward:       bind("right/l/enter", "onward", "right", "l", "enter"),
		Backward:     bind("left/h", "backward", "left", "h"),
		Reset:        bind("R", "reset", "R"),
		Confirm:      bind("y", "confirm", "y"),
		Back:         bind("esc", "leave", "esc"),
		Help:         bind("?", "help", "?"),
		Quit:         bind("q", "quit", "q"),
		Interrupt:    bind("ctrl+c", "interrupt", "ctrl+c"),
		Suspend:      bind("ctrl+z", "suspend", "ctrl+z"),
	}
}

// keyNames are the names of keys in the learner's language. What is written on
// the key itself everywhere has none.
func keyNames(b *prose.Book, shown string) string {
	names := strings.Split(shown, "/")
	for i, name := range names {
		if s := b.Text("key_" + name); s != "" {
			names[i] = s
		}
	}
	return strings.Join(names, "/")
}

// groups is every key, as the help lists them.
func (k keyMap) groups() [][]key.Binding {
	return [][]key.Binding{
		{k.Answer, k.Unsure},
		{k.Course, k.Onward, k.Backward, k.Reset, k.Confirm},
		{k.Step, k.StepBack, k.First, k.Last, k.Next, k.Previous, k.FirstFailure, k.Cause},
		{k.Play, k.Faster, k.Slower},
		{k.Up, k.Down, k.Left, k.Right, k.Open, k.Search, k.Matrix, k.Levels, k.Card, k.Pane, k.Compare, k.Copy},
		{k.Take, k.Pick, k.Undo, k.Redo, k.Root, k.Tip, k.Branch, k.BranchBefore, k.Hint, k.GiveUp},
		{k.Back, k.Help, k.Quit, k.Interrupt, k.Suspend},
	}
}
