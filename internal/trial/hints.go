package trial

import (
	"maps"
	"slices"

	"lockstep/internal/lang"
)

// Hints says what looks like a mistake in a lock or in its adapter, though it violates
// no invariant.
func Hints(reports []*Report) (list []lang.Message) {
	var atOnce, keyless bool
	returned := map[string]bool{}
	for _, r := range reports {
		atOnce, keyless = atOnce || r.Facts.AtOnce, keyless || r.Facts.Keyless
		for name, is := range r.Facts.Returned {
			returned[name] = returned[name] || is || r.cut() // it may yet come
		}
	}
	for _, name := range slices.Sorted(maps.Keys(returned)) {
		if !returned[name] {
			list = append(list, lang.New("look at the adapter: the lock never returned an error that it lists: %s", name))
		}
	}
	if keyless {
		list = append(list, lang.New("an acquisition writes no key: nothing is locked"))
	}
	if atOnce {
		list = append(list, lang.New("look at the delay between tries: Lock sends the same command again at the same moment"))
	}
	return list
}
