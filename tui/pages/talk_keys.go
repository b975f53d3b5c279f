package pages

// The keys of a talk: those of a remote, and others.
var (
	presentKey  = keyOf("present")
	onPageKey   = keyOf("onPage")
	backPageKey = keyOf("backPage")
	revealKey   = keyOf("reveal")
	digitKey    = keyOf("digit")
	goThereKey  = keyOf("goThere")
)

// typing returns the keys that write a number of so many digits.
func typing(number *string, most int, digit key) (keys []key) {
	for _, name := range digit.on {
		k := digit.now(func() { *number += name })
		k.on = []string{name}
		if name != digit.on[0] {
			k.group = unlisted
		}
		keys = append(keys, k.when(len(*number) < most))
	}
	return keys
}

// talkKeys returns the keys of a page in a talk. Those of the talk come first, except
// for the arrows, which some pages need for their choices, and where the only name of a key
// that leads on is one of several of the talk's. A page that no remote turns goes on by its
// own key.
func (s *Shell) talkKeys(page []key) []key {
	t, turns := s.talk, s.turner() != nil
	turned := func(k key, by int) key { return k.to(func() act { return s.turnPage(by) }).when(turns, "talk_nothing") }
	onPage := turned(onPageKey, 1)
	if i := lead(page); !turns && i >= 0 && page[i].leads && !page[i].off {
		onPage = onPageKey.to(page[i].do)
	}
	keys := []key{
		goThereKey.to(s.toChapter).when(t.number != "", ""),
		backKey.now(func() { t.number = "" }).when(t.number != "", ""),
		onPage, turned(backPageKey, -1),
		keyOf("notes").now(s.turnNotes), keyOf("timer").to(s.startTimer), keyOf("blank").now(func() { t.blank = true }),
		keyOf("talkPane").now(t.nextPane), keyOf("chapters").to(func() act { return restack(s.opensIn()) }),
	}
	if _, answers := find(page, digitKey.on[0]); !answers { // otherwise digits are for a question
		keys = append(keys, typing(&t.number, 3, digitKey)...)
	}
	for _, k := range page {
		if k.leads && !k.replaced && len(k.on) == 1 {
			keys = without(keys, k.on[0])
		}
	}
	var taken []string
	for _, k := range keys {
		if !k.off {
			taken = append(taken, k.on...)
		}
	}
	for _, k := range page {
		if k.replaced {
			continue
		}
		if k = k.without(taken); len(k.on) > 0 {
			keys = append(keys, k)
		}
	}
	return append(keys, turned(keyOf("onArrow"), 1), turned(keyOf("backArrow"), -1))
}
