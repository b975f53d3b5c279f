package pages

import (
	"lockstep/strategies"
	"lockstep/tui/render"
)

// newSecondPage returns the choice of a second lock for a comparison: the fix of the first
// one, then all others. name is of what is played.
func newSecondPage(s *shared, name func() string, first string, find finds) page {
	locks := others(first)
	p := &listPage{shared: s, menu: menu{0, len(locks)}, id: "side_by_side", of: name, nth: "nth_lock"}
	p.open = func() act {
		return push(newComparePage(s, &twoLocks{shared: s, of: name, locks: [2]string{first, locks[p.at].ID}, find: find}))
	}
	p.items = func() (title string, items []render.Item, about passages) {
		lock, _ := strategies.Find(first)
		for _, info := range locks {
			item := render.Item{Title: info.ID, Note: s.lockName(info.ID)}
			if info.ID == lock.Fix {
				item.Note = s.Pair(s.Gap("is_the_fix", first), item.Note)
			}
			items = append(items, item)
		}
		return s.Gap("choose_second", first), items, passages{s.passage("works", s.Lock(locks[p.at].ID).Works)}
	}
	return p
}

// others returns all locks but one, its fix first.
func others(lock string) []strategies.Info {
	info, _ := strategies.Find(lock)
	var out []strategies.Info
	if fix, ok := strategies.Find(info.Fix); ok {
		out = append(out, fix)
	}
	for _, other := range strategies.Catalogue() {
		if other.ID != lock && other.ID != info.Fix {
			out = append(out, other)
		}
	}
	return out
}
