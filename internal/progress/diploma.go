package progress

import (
	"cmp"
	"slices"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A Diploma is what a learner has achieved in a course.
type Diploma struct {
	Done, Chapters int
	Right, Asked   int // first answers
	Won            []Won
	Held           []string // names of levels of which the learner rightly said that nobody can
}

// A Won is a level that the learner has broken.
type Won struct {
	Level  string // its name
	Moves  int
	Fewest int // the fewest moves that any schedule takes, proven
}

// Diploma sums up progress in a course, in the order of its chapters.
func (p *Progress) Diploma(c *course.Course, b *prose.Book, language string) (d Diploma) {
	levels, seen := c.Playable(), map[string]bool{}
	for _, ch := range c.Chapters {
		d.Chapters++
		if p.Chapters[ch.ID].Done {
			d.Done++
		}
		for _, s := range ch.Plays() {
			if !seen[s.Name] {
				right, asked := p.Predicted(s.Name)
				d.Right, d.Asked = d.Right+right, d.Asked+asked
			}
			seen[s.Name] = true
		}
		for _, id := range ch.Levels() {
			i := slices.IndexFunc(levels, func(l scenarios.Level) bool { return l.ID == id })
			if i < 0 || seen["level "+id] {
				continue
			}
			seen["level "+id] = true
			level, r := &levels[i], p.Levels[id]
			name := cmp.Or(level.About(b, language).Name, id)
			switch {
			case r.Moves > 0 && !r.GaveUp:
				d.Won = append(d.Won, Won{name, r.Moves, level.Par})
			case r.Claimed && level.Par == 0:
				d.Held = append(d.Held, name)
			}
		}
	}
	return d
}
