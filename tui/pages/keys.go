package pages

import (
	"slices"
	"strings"

	"lockstep/internal/prose"
)

// A key is a key of the keyboard, or several that do the same, on one page:
// their names, what they do, and why they do nothing now, if so.
type key struct {
	shown string   // the names as the footer and the help have them, before translation
	on    []string // the names that Bubble Tea gives
	does  string   // the id, after "does_", of the text that says what it does
	group group    // in the help
	rank  int      // in the footer: the lowest are the most useful; 0 is not there
	whole bool     // the footer has all of the names: they differ in what they do
	off   bool     // it does nothing now
	why   string   // the id of the text that says why; "" for no reason worth a line
	do    func() act
}

// A group is keys that stand together in the help, in this order.
type group int

const (
	presenting group = iota
	answering
	learning
	moving
	playing
	choosing
	picking
	leaving
	unlisted // another key stands for it
)

// newKey has the names that are shown for those that are pressed, unless others
// are given.
func newKey(g group, rank int, does, shown string, on ...string) key {
	if len(on) == 0 {
		on = strings.Split(shown, "/")
	}
	return key{group: g, rank: rank, does: does, shown: shown, on: on}
}

// The keys that more than one page has. A page that needs another one makes it
// where it is.
var (
	upKey    = newKey(choosing, 0, "up", "up/k")
	downKey  = newKey(choosing, 0, "down", "down/j")
	openKey  = newKey(choosing, 80, "open", "enter", "enter", "right", "l")
	firstKey = newKey(moving, 0, "first", "g/home")
	lastKey  = newKey(moving, 0, "last", "G/end")

	stepKey     = newKey(moving, 50, "step", "right/l/enter")
	stepBackKey = newKey(moving, 70, "back", "left/h")
	nextKey     = newKey(moving, 130, "next", "v")
	previousKey = newKey(moving, 0, "previous", "V")
	causeKey    = newKey(moving, 30, "cause", "1-9")
	cardKey     = newKey(choosing, 150, "card", "c")
	paneKey     = newKey(choosing, 100, "pane", "tab/s")
	zoomKey     = newKey(choosing, 0, "zoom", "z")
	searchKey   = newKey(choosing, 170, "search", "/", "/")
	compareKey  = newKey(choosing, 180, "compare", "d")
	copyKey     = newKey(choosing, 230, "copy", "y")

	backKey      = newKey(leaving, 0, "leave", "esc")
	helpKey      = newKey(leaving, 0, "help", "?")
	languageKey  = newKey(leaving, 0, "language", "L")
	quitKey      = newKey(leaving, 0, "quit", "q")
	interruptKey = newKey(leaving, 0, "interrupt", "ctrl+c")
	suspendKey   = newKey(leaving, 0, "suspend", "ctrl+z")
)

// overtakes says whether a key ends or stops the program, whatever waits.
func overtakes(name string) bool { return interruptKey.is(name) || suspendKey.is(name) }

// to says what the key does.
func (k key) to(do func() act) key {
	k.do = do
	return k
}

// now is a key that asks nothing of the shell.
func (k key) now(do func()) key { return k.to(func() act { do(); return nil }) }

// act is a key that always asks the same of the shell.
func (k key) act(a act) key { return k.to(func() act { return a }) }

// when switches the key off where it can do nothing. The first reason stays.
func (k key) when(can bool, why string) key {
	if !can && !k.off {
		k.off, k.why = true, why
	}
	return k
}

// says gives what the key does other words.
func (k key) says(does string) key {
	k.does = does
	return k
}

// without is the key on what names are left of it.
func (k key) without(taken []string) key {
	k.on = slices.DeleteFunc(slices.Clone(k.on), func(name string) bool { return slices.Contains(taken, name) })
	return k
}

func (k key) is(name string) bool { return slices.Contains(k.on, name) }

// find returns the key of a name: the first that does something, or else the
// first that says why not.
func find(keys []key, name string) (k key, ok bool) {
	for _, k := range keys {
		if k.is(name) && !k.off {
			return k, true
		}
	}
	i := slices.IndexFunc(keys, func(k key) bool { return k.is(name) && k.why != "" })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

// without are the keys without one of their names, where they have others.
func without(keys []key, name string) []key {
	out := slices.Clone(keys)
	for i, k := range out {
		if len(k.on) > 1 && k.is(name) {
			out[i].on = slices.DeleteFunc(slices.Clone(k.on), func(n string) bool { return n == name })
			names := slices.DeleteFunc(strings.Split(k.shown, "/"), func(n string) bool { return n == name })
			out[i].shown = strings.Join(names, "/")
		}
	}
	return out
}

// names are the key's names in the learner's language. What is written on the
// key itself everywhere has none.
func (k key) names(b *prose.Book) string {
	names := strings.Split(k.shown, "/")
	for i, name := range names {
		if s := b.Text("key_" + name); s != "" {
			names[i] = s
		}
	}
	return strings.Join(names, "/")
}

// name is the one by which the footer calls it.
func (k key) name(b *prose.Book) string {
	names := k.names(b)
	if first, _, _ := strings.Cut(names, "/"); first != "" && !k.whole {
		return first
	}
	return names
}

func (k key) text(b *prose.Book) string { return b.Text("does_" + k.does) }
