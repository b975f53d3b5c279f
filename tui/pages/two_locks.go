package pages

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// twoLocks is one story played with two locks, command by command: the last part of a
// chapter, or a comparison that the user asked for.
type twoLocks struct {
	*shared
	of    func() string // what is played
	after func() string // what a chapter, of which it is a part, has to say; nil if it is none
	locks [2]string
	find  finds
}

func (c *twoLocks) title() (left, right string) { return c.Text("side_by_side"), c.of() }

func (c *twoLocks) name(i int) string { return c.locks[i] }

func (c *twoLocks) play(ctx context.Context) (sides [2]side, err error) {
	story, err := c.find(ctx)
	if err != nil {
		return sides, err
	}
	return c.playBoth(ctx, story, c.locks)
}

func (s *shared) playBoth(ctx context.Context, story *scenarios.Story, locks [2]string) (sides [2]side, err error) {
	for i, lock := range locks {
		result, err := s.against(ctx, story.For(lock), lock)
		if err != nil {
			return sides, err
		}
		one := side{run: lesson.Of(result)}
		for beat, b := range result.Beats {
			_, to := one.run.RowsOf(beat)
			one.upTo, one.skipped, one.steps = append(one.upTo, to-1), append(one.skipped, b.Skipped), append(one.steps, b.Step)
			one.told = append(one.told, beat > 0 && len(b.Step.Captions) > 0)
		}
		sides[i] = one
	}
	return sides, nil
}

func (c *twoLocks) at(p *comparePage) string { return c.command(p.step) }

func (c *twoLocks) partsAt(p *comparePage) string { return c.command(menu{p.parts, p.step.n}) }

func (c *twoLocks) command(step menu) string {
	return c.Fill("at_command", facts{Step: step.at + 1, Steps: step.n})
}

// remark returns the command in words, and where the comparison begins and ends the summary; where
// the runs part, what each lock does.
func (c *twoLocks) remark(p *comparePage, beat int) render.Caption {
	remark := render.Caption{Hint: p.sides[0].steps[beat].Caption(c.Book, c.lang)}
	switch beat {
	case p.step.n - 1:
		remark.Text = c.verdict(p)
	case p.begins():
		remark.Text = c.Fill("same_schedule", facts{Said: c.locks[0], What: c.locks[1]})
	default:
		if p.parts == beat {
			remark.Text = c.List(c.differs(p, 0), c.differs(p, 1))
		}
	}
	return remark
}

// differs says what one lock did where the runs part.
func (c *twoLocks) differs(p *comparePage, i int) string {
	row := p.sides[i].run.Rows[partRow(p.sides, i, p.parts)]
	return c.Pair(c.locks[i], row.Said().In(c.Language()))
}

// verdict returns the result of a comparison. A chapter has its own text.
func (c *twoLocks) verdict(p *comparePage) string {
	if c.after != nil {
		return c.after()
	}
	id := "breaks_neither"
	switch first, second := len(p.sides[0].run.Found) > 0, len(p.sides[1].run.Found) > 0; {
	case first && second:
		id = "breaks_both"
	case first:
		id = "breaks_first"
	case second:
		id = "breaks_second"
	}
	return c.Fill(id, facts{Said: c.locks[0], What: c.locks[1]})
}

// note returns how much of the schedule was impossible with a lock.
func (c *twoLocks) note(p *comparePage, i int) string {
	skipped, n := p.sides[i].skipped, 0
	for _, b := range skipped[:p.step.at+1] {
		if b {
			n++
		}
	}
	with := facts{N: n, Of: p.step.n, What: c.locks[i]}
	switch {
	case n == 0:
		return ""
	case skipped[p.step.at]:
		return c.Fill("no_occasion", with)
	}
	return c.Fill("no_occasions", with)
}
