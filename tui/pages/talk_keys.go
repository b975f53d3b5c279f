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

// talkKeys returns the keys of a page in a talk. Those of the talk come first, except
// for the arrows, which some pages need for their choices.
func (s *Shell) talkKeys(page []key) []key {
	t, turns := s.talk, s.turner() != nil
	turned := func(k key, by int) key { return k.to(func() act { return s.turnPage(by) }).when(turns, "talk_nothing") }
	keys := []key{
		goThereKey.to(s.toChapter).when(t.number != "", ""),
		backKey.now(func() { t.number = "" }).when(t.number != "", ""),
		turned(onPageKey, 1), turned(backPageKey, -1),
		keyOf("notes").now(s.turnNotes), keyOf("timer").to(s.startTimer), keyOf("blank").now(func() { t.blank = true }),
		keyOf("talkPane").now(t.nextPane), keyOf("chapters").to(func() act { return restack(s.opensIn()) }),
	}
	for _, name := range digitKey.on {
		k := digitKey.now(func() { t.number += name })
		k.on = []string{name}
		if name != digitKey.on[0] {
			k.group = unlisted
		}
		keys = append(keys, k.when(len(t.number) < 3 && s.course.chapter.n > 0))
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
