package pages

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/prose"
)

// A key is one or several keys of the keyboard with the same effect on a page: their
// names, the effect, and why they have none now.
type key struct {
	shown string   // the names as the footer and the help have them, before translation
	on    []string // the names that Bubble Tea gives
	does  string   // the id, after "does_", of the text that says what it does
	group group    // in the help
	rank  int      // in the footer: the lowest are the most useful; 0 is not there
	whole bool     // the footer has all of the names: they differ in what they do
	leads bool     // it leads on: of the buttons of a browser, one does
	off   bool     // it does nothing now
	reply string   // the answer that it gives to a question, in words
	why   string   // the id of the text that says why; "" for no reason worth a line
	do    func() act
}

// A group is keys that the help lists together, in this order.
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

// newKey returns a key whose shown names are also those to press, unless others are
// given.
func newKey(g group, rank int, does, shown string, on ...string) key {
	if len(on) == 0 {
		on = strings.Split(shown, "/")
	}
	return key{group: g, rank: rank, does: does, shown: shown, on: on}
}

// main sets that the key leads on.
func (k key) main() key {
	k.leads = true
	return k
}

// The keys that several pages have. A page defines its other keys itself.
var (
	upKey       = newKey(choosing, 0, "up", "up/k")
	downKey     = newKey(choosing, 0, "down", "down/j")
	pageUpKey   = newKey(choosing, 0, "page_up", "pgup")
	pageDownKey = newKey(choosing, 0, "page_down", "pgdown")
	openKey     = newKey(choosing, 80, "open", "enter", "enter", "right", "l").main()
	firstKey    = newKey(moving, 0, "first", "g/home")
	lastKey     = newKey(moving, 0, "last", "G/end")

	readOnKey   = newKey(moving, 15, "read_on", "space", " ").main()
	landmarkKey = newKey(moving, 48, "landmark", "space", " ").main()
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

// overtakes reports whether a key ends or stops the program, even while others wait.
func overtakes(name string) bool { return interruptKey.is(name) || suspendKey.is(name) }

// to sets what the key does.
func (k key) to(do func() act) key {
	k.do = do
	return k
}

// now sets an effect without a request to the shell.
func (k key) now(do func()) key { return k.to(func() act { do(); return nil }) }

// by sets that the key moves something by so many.
func (k key) by(n int, move func(by int)) key { return k.now(func() { move(n) }) }

// act sets a fixed request to the shell.
func (k key) act(a act) key { return k.to(func() act { return a }) }

// when disables the key unless it can do something, perhaps with a reason. The first one
// stays.
func (k key) when(can bool, why ...string) key {
	if !can && !k.off {
		k.off, k.why = true, cmp.Or(why...)
	}
	return k
}

// says replaces the description of the key.
func (k key) says(does string) key {
	k.does = does
	return k
}

// without returns the key with the names that are left.
func (k key) without(taken []string) key {
	k.on = slices.DeleteFunc(slices.Clone(k.on), func(name string) bool { return slices.Contains(taken, name) })
	return k
}

func (k key) is(name string) bool { return slices.Contains(k.on, name) }

// find returns the key with a name: the first enabled one, or else the first that
// explains why not.
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

// without returns the keys without one of their names, if they have others.
func without(keys []key, name string) []key {
	out := slices.Clone(keys)
	for i, k := range out {
		if len(k.on) > 1 && k.is(name) {
			out[i] = k.without([]string{name})
			names := slices.DeleteFunc(strings.Split(k.shown, "/"), func(n string) bool { return n == name || n == "space" && name == " " })
			out[i].shown = strings.Join(names, "/")
		}
	}
	return out
}

// names returns the key's names in the learner's language. Names that are printed on
// keys everywhere are not translated.
func (k key) names(b *prose.Book) string {
	names := strings.Split(k.shown, "/")
	for i, name := range names {
		if s := b.Text("key_" + name); s != "" {
			names[i] = s
		}
	}
	return strings.Join(names, "/")
}

// named returns how a text names a key: where there are no keys, by what its button says.
func (s *shared) named(k key) string {
	if s.touch {
		return s.Gap("button", k.text(s.Book))
	}
	return k.name(s.Book)
}

// name returns the name in the footer.
func (k key) name(b *prose.Book) string {
	names := k.names(b)
	if first, _, _ := strings.Cut(names, "/"); first != "" && !k.whole {
		return first
	}
	return names
}

func (k key) text(b *prose.Book) string { return b.Text("does_" + k.does) }
