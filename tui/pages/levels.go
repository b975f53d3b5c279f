package pages

import (
	"context"
	"errors"
	"slices"

	"lockstep/scenarios"
)

// levels are all levels and what is known of each, whatever page is open.
type levels struct {
	list   []scenarios.Level
	broken error     // they could not be read
	search *Explorer // nil: nobody knows what is shortest
	proofs map[string]*proving
}

// proving is the search for a level's shortest schedule: under way until it
// has a proof or an error.
type proving struct {
	proof *Proof
	err   error
}

// searched is what a search came to.
type searched struct {
	level string
	proof Proof
	err   error
}

// newLevels are those of a course, and those that the explorer has written.
func newLevels(c *courseState, search *Explorer) *levels {
	l := &levels{search: search, proofs: map[string]*proving{}}
	proved, err := scenarios.ProvedLevels()
	l.list, l.broken = slices.Concat(c.Levels, proved), errors.Join(c.broken, err)
	return l
}

// find returns the level of an id; nil if there is none.
func (l *levels) find(id string) *scenarios.Level {
	i := slices.IndexFunc(l.list, func(l scenarios.Level) bool { return l.ID == id })
	if i < 0 {
		return nil
	}
	return &l.list[i]
}

// prove searches for the shortest schedule of a level, once, so that it is known
// when it is asked for.
func (l *levels) prove(level *scenarios.Level) act {
	if l.search == nil || l.proofs[level.ID] != nil {
		return nil
	}
	l.proofs[level.ID] = &proving{}
	search := l.search
	return last(l, func(ctx context.Context) any {
		p, err := search.Shortest(ctx, level)
		return searched{level.ID, p, err}
	})
}

// told takes what a search came to.
func (l *levels) told(answer any) act {
	found, ok := answer.(searched)
	if p := l.proofs[found.level]; ok && p != nil {
		if p.err = found.err; p.err == nil {
			p.proof = &found.proof
		}
	}
	return nil
}
