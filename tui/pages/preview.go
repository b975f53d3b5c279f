package pages

import (
	"context"
	"maps"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// This file draws what is selected beside a list: a story as a picture, and of a lock also
// what it promises, its decisive lines and how it fares.

// decisive is how many lines of source the preview shows.
const decisive = 6

// A preview is the runs of what was selected, to be drawn beside a list.
type preview struct {
	*shared
	runs    map[any]*lesson.Run // nil while it runs, and if it has failed
	picture picture
}

func newPreview(s *shared) preview { return preview{shared: s, runs: map[any]*lesson.Run{}} }

// opened forgets what still ran when the list was covered, which has ended it.
func (v *preview) opened() act {
	maps.DeleteFunc(v.runs, func(_ any, run *lesson.Run) bool { return run == nil })
	return nil
}

// play plays what is selected, once.
func (v *preview) play(of any, run func(context.Context) (*scenarios.Result, error)) act {
	if _, known := v.runs[of]; known {
		return nil
	}
	v.runs[of] = nil
	return begin(func(ctx context.Context) act {
		result, err := run(ctx)
		if err != nil {
			return nil
		}
		shown := lesson.Of(result)
		return func(*Shell) Cmd {
			v.runs[of] = shown
			return nil
		}
	})
}

// playStory plays the selected story, if there is one and its preview is visible.
func (v *preview) playStory(story *scenarios.Story) act {
	if story == nil || v.width < besideLocks {
		return nil
	}
	return v.play(story, func(ctx context.Context) (*scenarios.Result, error) { return v.run(ctx, story) })
}

// draw draws a story up to a row that at picks.
func (v *preview) draw(story *scenarios.Story, at func(*lesson.Run) int, w, h int) render.Lines {
	run := v.runs[story]
	if run == nil || h < 4 {
		return render.Lines(nil).Block(w, max(0, h))
	}
	row := at(run)
	lanes := v.Lanes(v.picture.of(run), render.Cursor{At: row}, w, min(h-2, row+6))
	return append(render.Lines{v.Heading(story.Title(v.Book), w)}, lanes...).Block(w, h)
}

func (p *locksPage) settle() act { return p.playStory(p.storyOf(p.selected().ID)) }

// storyOf returns the story in which a lock of a tutorial breaks by the course, or in
// which another one works; else its first one.
func (p *locksPage) storyOf(lock string) *scenarios.Story {
	for _, c := range p.course.Chapters {
		switch {
		case c.Lock != lock:
		case c.Breaks != nil && c.Breaks.Strategy() == lock:
			return c.Breaks
		case c.Works != nil && c.Works.Strategy() == lock:
			return c.Works
		}
	}
	if all := p.ofLock(lock); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (p *locksPage) beside(w, h int) render.Lines {
	info := p.selected()
	l := p.Lock(info.ID)
	out := render.Lines{p.Heading(p.Pair(info.ID, p.lockName(info.ID)), w)}
	out = append(out, p.Passages(passages{p.passage("claims", l.Claims)}, w)...)
	standing := scenarios.StandingOf(info.ID)
	needless, limits := apart(standing) // the hazards that break the lock and not the one that answers it; those that break both
	out = append(out, p.Passages(passages{
		p.passage("which_breaks", p.under(needless, false)),
		p.passage("which_limits", p.under(limits, false)),
		p.passage("which_holds", p.under(standing, true)),
	}, w).Cut(w, h/3)...)
	source := strategies.Source(info.File)
	out = append(out, p.Heading(p.Text("source")+" "+info.File, w))
	out = append(out, p.Source(render.Code{Text: source, Line: render.LessonLine(source, 0), Own: p.Language()}, w, decisive)...)
	return append(out, p.draw(p.storyOf(info.ID), clearestRow, w, h-len(out))...)
}

// clearestRow is the first violation, or else the end.
func clearestRow(run *lesson.Run) int {
	if len(run.Found) > 0 {
		return run.Found[0].Row
	}
	return len(run.Rows) - 1
}
