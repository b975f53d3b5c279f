package trial

import (
	"cmp"
	"maps"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Facts are what a report knows of a lock beside violations.
type Facts struct {
	program.Traits
	Tries [2]string // see the function
}

func (f Facts) and(more Facts) Facts {
	// What more has of Returned is by then.
	f.AtOnce, f.Keyless, f.Returned, f.Tries = f.AtOnce || more.AtOnce, f.Keyless || more.Keyless, more.Returned, cmp.Or(f.Tries, more.Tries)
	return f
}

// Hints says what looks like a mistake in a lock or in its adapter, though it violates
// no invariant.
func Hints(reports []*Report) (list []lang.Message) {
	var all Facts
	returned := map[string]bool{}
	for _, r := range reports {
		all = all.and(r.Facts)
		for name, is := range r.Facts.Returned {
			returned[name] = returned[name] || is
		}
	}
	for _, name := range slices.Sorted(maps.Keys(returned)) {
		if !returned[name] {
			list = append(list, lang.New("look at the adapter: the lock never returned an error that it lists: %s", name))
		}
	}
	if all.Keyless {
		list = append(list, lang.New("an acquisition writes no key: nothing is locked"))
	}
	if all.AtOnce {
		list = append(list, lang.New("look at the delay between tries: Lock sends the same command again at the same moment"))
	}
	if all.Tries[0] != "" {
		list = append(list, lang.New("look at the token: each try has its own (%s, then %s), so after a reply was lost a client is kept out by its own lease, up to the TTL", all.Tries[0], all.Tries[1]))
	}
	return list
}

// tries returns the only word in which a client's command differs from one of an earlier
// try, whose reply was lost and which keeps it out: as it was, and as it is. Nothing if
// another command has that word, as it has to release what was acquired.
func tries(h history.History, v history.Violation) (pair [2]string) {
	var wrote history.Event // the key
	lost := map[int]bool{}
	for _, e := range h.Events[:v.Seq] {
		if slices.ContainsFunc(e.Changes, func(c history.Change) bool { return c.Key == v.Key }) {
			wrote = e
		}
		lost[e.Call] = lost[e.Call] || e.Kind == history.TimeOut || e.Kind == history.Broken
	}
	first := slices.Concat(wrote.Cmds...)
	var all [][]string
	for _, e := range h.Events[:v.Seq] {
		words := slices.Concat(e.Cmds...)
		all = append(all, words)
		if at := onlyDifference(first, words); at > 0 {
			pair = [2]string{first[at], words[at]}
		}
	}
	if !lost[wrote.Call] || slices.ContainsFunc(all, func(words []string) bool {
		return slices.Contains(words, pair[0]) && !slices.Equal(words, first)
	}) {
		return [2]string{}
	}
	return pair
}

// onlyDifference is the index at which two lists differ, if that is one; -1 otherwise.
func onlyDifference(a, b []string) int {
	at := -1
	for i := range a {
		switch {
		case len(a) != len(b), at >= 0 && a[i] != b[i]:
			return -1
		case a[i] != b[i]:
			at = i
		}
	}
	return at
}
