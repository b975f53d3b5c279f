package pages

import (
	"context"

	"lockstep/scenarios"
)

// levels is the list of all levels with their proofs. It outlives the pages.
type levels struct {
	list   []scenarios.Level
	search Explorer // nil: nobody knows what is shortest
	proofs map[string]*proving
}

// proving is the search for a level's shortest schedule. It is under way until it has a
// proof or an error.
type proving struct {
	proof *Proof
	err   error
}

// newLevels returns the levels of a course and the proved ones.
func newLevels(c *courseState, search Explorer) *levels {
	return &levels{list: c.Playable(), search: search, proofs: map[string]*proving{}}
}

// find returns the level with an id; nil if there is none.
func (l *levels) find(id string) *scenarios.Level {
	for i := range l.list {
		if l.list[i].ID == id {
			return &l.list[i]
		}
	}
	return nil
}

// prove searches for the shortest schedule of a level, once, before the learner asks
// for it.
func (l *levels) prove(level *scenarios.Level) act {
	if l.search == nil || l.proofs[level.ID] != nil {
		return nil
	}
	known, search := &proving{}, l.search
	l.proofs[level.ID] = known
	return last(func(ctx context.Context) act {
		p, err := search(ctx, level)
		return func(*Shell) Cmd {
			if known.err = err; err == nil {
				known.proof = &p
			}
			return nil
		}
	})
}
