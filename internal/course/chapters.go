package course

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// chapters checks the rows of course.toml.
func (r *reader) chapters(rows []row) {
	if len(rows) == 0 {
		r.fail("", "the course has no chapter; use for example %s", `[[chapter]]`)
	}
	if len(rows) > maxChapters {
		r.fail("", "%d chapters are too many; at most %d fit", len(rows), maxChapters)
		return
	}
	for i, row := range rows {
		if r.full() {
			return
		}
		at := fmt.Sprintf("chapter[%d]", i)
		c := r.chapter(at, row)
		if slices.ContainsFunc(r.c.Chapters, func(other Chapter) bool { return other.ID == c.ID }) {
			r.fail(at+".id", "there are two chapters %q", c.ID)
		}
		r.c.Chapters = append(r.c.Chapters, c)
	}
}

func (r *reader) chapter(at string, row row) Chapter {
	c := Chapter{
		ID: cmp.Or(row.ID, row.Lock), Kind: cmp.Or(row.Kind, Core), Lock: row.Lock, Fix: row.Fix, Attack: row.Attack, Hold: row.Hold,
		Exercise: row.Exercise, Minutes: row.Minutes,
	}
	if c.ID == "" {
		r.fail(at, "%s is missing; use for example %s", "id", `id = "the-first"`)
	} else if !ids.MatchString(c.ID) {
		r.fail(at+".id", "%q is not an id; use up to 60 small letters, digits and dashes", c.ID)
	}
	if kinds := []string{Core, Extra}; !slices.Contains(kinds, c.Kind) {
		r.fail(at+".kind", "%q is not a kind of chapter; use %s", c.Kind, lang.Names(kinds))
	}
	r.minutes(at+".minutes", c.Minutes)
	row.Stories, c.Try = r.named(at+".stories", row.Stories), r.named(at+".levels", row.Levels)
	known := r.lock(at+".lock", c.Lock) && r.lock(at+".fix", c.Fix)
	c.Works, c.Breaks = r.story(at+".works", row.Works, row.Lock), r.story(at+".breaks", row.Breaks, row.Lock)
	for _, s := range []**scenarios.Story{&c.Works, &c.Breaks} {
		if *s != nil {
			*s = (*s).WithoutReplays()
		}
	}
	for i, name := range row.Stories {
		if s := r.story(fmt.Sprintf("%s.stories[%d]", at, i), name, row.Lock); s != nil {
			c.Stories = append(c.Stories, s)
		}
	}
	r.together(at, row)
	if known {
		r.levelsOf(at, row, &c)
	} else {
		c.Works, c.Breaks = nil, nil // nothing can play them
	}
	if c.Exercise != "" && r.lock(at+".exercise", c.Exercise) {
		r.exercise(at, c.Exercise)
	}
	return c
}

// named checks the length of a chapter's list.
func (r *reader) named(at string, list []string) []string {
	if len(list) > maxNamed {
		r.fail(at, "the list has %d entries; at most %d fit", len(list), maxNamed)
		return nil
	}
	return list
}

// together finds keys that are missing another key.
func (r *reader) together(at string, row row) {
	for _, need := range []struct{ key, has, other, wants string }{
		{"works", row.Works, "lock", row.Lock},
		{"breaks", row.Breaks, "lock", row.Lock},
		{"fix", row.Fix, "breaks", row.Breaks},
		{"hazard", row.Hazard, "lock", row.Lock},
		{"hazard", row.Hazard, "goal", row.Goal},
		{"goal", row.Goal, "hazard", row.Hazard},
	} {
		if need.has != "" && need.wants == "" {
			r.fail(at+"."+need.key, "%s goes with %s, which is missing", need.key, need.other)
		}
	}
}

// story finds a story by name: one of the course's own, or of the library. Its error
// suggests stories of the lock first.
func (r *reader) story(at, name, lock string) *scenarios.Story {
	if name == "" {
		return nil
	}
	var names, others []string
	for _, s := range slices.Concat(r.c.Stories, scenarios.Stories()) {
		switch {
		case s.Name == name:
			return s
		case lock != "" && s.Strategy() == lock:
			names = append(names, s.Name)
		default:
			others = append(others, s.Name)
		}
	}
	if r.unread(name) { // and is reported
		return nil
	}
	r.fail(at, "%q is not a story of %s or of the library; %s", name, storiesDir, lang.Fit(name, append(names, others...)))
	return nil
}

// unread reports whether a story's file exists but could not be read.
func (r *reader) unread(name string) bool {
	file := path.Join(r.shown, storiesDir, name+".txt")
	return slices.ContainsFunc(r.mistakes, func(err error) bool {
		var placed *lang.Placed
		return errors.As(err, &placed) && placed.Path == file
	})
}

// levelsOf finds the levels of a chapter: against its lock, against its fix, and
// others. A hazard and a goal stand for the proved levels of both locks.
func (r *reader) levelsOf(at string, row row, c *Chapter) {
	var all, hazards []string
	for _, levels := range [][]scenarios.Level{r.c.Levels, scenarios.ProvedLevels()} {
		for i := range levels {
			l := &levels[i]
			all = append(all, l.ID)
			if l.Hazard != "" && !slices.Contains(hazards, l.Hazard) {
				hazards = append(hazards, l.Hazard)
			}
		}
	}
	switch {
	case c.Lock == "" || row.Hazard == "" || row.Goal == "": // reported by together
	case !slices.Contains(hazards, row.Hazard):
		r.fail(at+".hazard", "%q is not a hazard; %s", row.Hazard, lang.Fit(row.Hazard, hazards))
	case !slices.Contains(history.Invariants(), row.Goal):
		r.fail(at+".goal", "%q is not an invariant; %s", row.Goal, lang.Fit(row.Goal, history.Invariants()))
	default:
		of := func(level *string, lock string) {
			if *level != "" || lock == "" {
				return
			}
			if *level = scenarios.ProvedID(lock, row.Hazard, row.Goal); !slices.Contains(all, *level) {
				r.fail(at+".goal", "nothing is proved of %s; use a level of one's own in %s", *level, levelsFile)
			}
		}
		of(&c.Attack, c.Lock)
		of(&c.Hold, c.Fix)
	}
	known := func(at, id string) {
		if id != "" && !slices.Contains(all, id) {
			r.fail(at, "%q is not a level of %s or a proved one; %s", id, levelsFile, lang.Fit(id, all))
		}
	}
	known(at+".attack", row.Attack)
	known(at+".hold", row.Hold)
	for i, id := range c.Try {
		known(fmt.Sprintf("%s.levels[%d]", at, i), id)
	}
}

func (r *reader) exercise(at, id string) {
	var all []string
	for _, l := range Exercises() {
		all = append(all, l.ID)
	}
	if !slices.Contains(all, id) {
		r.fail(at+".exercise", "there is no exercise of %s; %s", id, lang.Fit(id, all))
	}
}
