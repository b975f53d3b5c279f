package pages

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/prose"
)

// A key is one or several keys of the keyboard with the same effect on a page: their
// names, the effect, and why they have none now.
type key struct {
	shown    string   // the names as the footer and the help have them, before translation
	on       []string // the names that Bubble Tea gives
	does     string   // the id, after "does_", of the text that says what it does
	group    group    // in the help
	rank     int      // in the footer: the lowest are the most useful; 0 is not there
	whole    bool     // the footer has all of the names: they differ in what they do
	leads    bool     // it leads on: of the buttons of a browser, one does
	replaced bool     // not in a talk, which has another
	off      bool     // it does nothing now
	why      string   // the id of the text that says why; "" for no reason worth a line
	do       func() act
}

// A group is keys that the help lists together; see keys.txt.
type group int

// Its last ones.
const (
	leaving group = 8 + iota
	unlisted
)

//go:embed keys.txt
var keyTable string

// listed are the keys of keys.txt by their names.
var listed = readKeys()

func readKeys() map[string]key {
	all, group := map[string]key{}, group(0)
	for line := range strings.Lines(keyTable) {
		switch f := strings.Fields(line); {
		case len(f) == 1:
			group++
		case len(f) > 1 && f[0] != "#":
			k := key{group: group, does: f[2], shown: f[3], on: strings.Split(strings.ReplaceAll(f[4], "␣", " "), ",")}
			k.rank, _ = strconv.Atoi(f[1]) // a test reads them
			k.leads, k.replaced, k.whole = slices.Contains(f, "leads"), slices.Contains(f, "replaced"), slices.Contains(f, "whole")
			all[f[0]] = k
		}
	}
	return all
}

// keyOf returns a key of keys.txt.
func keyOf(name string) key {
	k, ok := listed[name]
	if !ok {
		panic("keys.txt has no " + name)
	}
	return k
}

// The keys that several pages have, or a page several times.
var (
	upKey       = keyOf("up")
	downKey     = keyOf("down")
	pageUpKey   = keyOf("pageUp")
	pageDownKey = keyOf("pageDown")
	openKey     = keyOf("open")
	firstKey    = keyOf("first")
	lastKey     = keyOf("last")

	landmarkKey = keyOf("landmark")
	stepKey     = keyOf("step")
	stepBackKey = keyOf("stepBack")
	nextKey     = keyOf("next")
	previousKey = keyOf("previous")
	cardKey     = keyOf("card")
	paneKey     = keyOf("pane")
	compareKey  = keyOf("compare")
	copyKey     = keyOf("copy")

	backKey      = keyOf("back")
	helpKey      = keyOf("help")
	languageKey  = keyOf("language")
	quitKey      = keyOf("quit")
	interruptKey = keyOf("interrupt")
	suspendKey   = keyOf("suspend")
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
// explains why not, or else one that says it does nothing.
func find(keys []key, name string) (k key, ok bool) {
	for _, k := range keys {
		if k.is(name) && !k.off {
			return k, true
		}
	}
	for _, k := range keys {
		if k.is(name) && k.why != "" {
			return k, true
		}
	}
	return key{off: true, why: "why_dead"}, false
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
	if s.browser {
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

// whyNot says why a key does nothing now.
func (s *shared) whyNot(k key) string { return s.Gap(k.why, s.named(unsureKey)) }

func (k key) text(b *prose.Book) string { return b.Text("does_" + k.does) }
