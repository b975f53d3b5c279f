package pages

import "slices"

// The keys of a talk: those of a remote, and others.
var (
	presentKey   = newKey(leaving, 0, "present", "P/f5")
	onPageKey    = newKey(presenting, 10, "talk_on", "pgdown/space", "pgdown", " ").main()
	backPageKey  = newKey(presenting, 20, "talk_back", "pgup")
	onArrowKey   = newKey(unlisted, 0, "talk_on", "right/down/l/j/enter")
	backArrowKey = newKey(unlisted, 0, "talk_back", "left/up/h/k")
	revealKey    = newKey(presenting, 30, "talk_reveal", "a")
	notesKey     = newKey(presenting, 40, "talk_notes", "n")
	timerKey     = newKey(presenting, 50, "talk_timer", "T")
	blankKey     = newKey(presenting, 60, "talk_blank", "b/.")
	talkPaneKey  = newKey(presenting, 70, "pane", "tab/s")
	chaptersKey  = newKey(presenting, 80, "talk_chapters", "C")
	digitKey     = newKey(presenting, 0, "talk_number", "0-9", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
	goThereKey   = newKey(presenting, 0, "talk_there", "enter")
)

// notInATalk lists the effects of keys that a talk replaces.
var notInATalk = []string{
	stepKey.does, stepBackKey.does, onwardKey.does, backwardKey.does, answerKey.does, unsureKey.does, playKey.does, fasterKey.does, slowerKey.does,
	landmarkKey.does, readOnKey.does, pageUpKey.does, pageDownKey.does, cardKey.does, zoomKey.does, paneKey.does, causeKey.does, anewKey.does, resetKey.does,
}

// talkKeys returns the keys of a page in a talk. Those of the talk come first, except
// for the arrows, which some pages need for their choices.
func (s *Shell) talkKeys(page []key) []key {
	t, turns := s.talk, s.turner() != nil
	turned := func(k key, by int) key { return k.to(func() act { return s.turnPage(by) }).when(turns, "talk_nothing") }
	keys := []key{
		goThereKey.to(s.toChapter).when(t.number != "", ""),
		backKey.now(func() { t.number = "" }).when(t.number != "", ""),
		turned(onPageKey, 1), turned(backPageKey, -1),
		notesKey.now(s.turnNotes), timerKey.to(s.startTimer), blankKey.now(func() { t.blank = true }),
		talkPaneKey.now(t.nextPane), chaptersKey.to(func() act { return restack(s.opensIn()) }),
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
		if slices.Contains(notInATalk, k.does) {
			continue
		}
		if k = k.without(taken); len(k.on) > 0 {
			keys = append(keys, k)
		}
	}
	return append(keys, turned(onArrowKey, 1), turned(backArrowKey, -1))
}
