package pages

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// This file draws the selected lock beside the list of locks: what it promises, its
// decisive lines, how it fares, and its story as a picture.

// decisive is how many lines of source the preview shows.
const decisive = 6

// previewed is the run of a lock's story; nil if it has failed.
type previewed struct {
	lock string
	run  *lesson.Run
}

// settle runs the story of the selected lock, if the preview is visible.
func (p *locksPage) settle() act {
	lock := p.selected().ID
	if _, known := p.runs[lock]; known || p.width < besideLocks {
		return nil
	}
	story := p.storyOf(lock)
	if story == nil {
		return nil
	}
	p.runs[lock] = nil
	return begin(func(ctx context.Context) any {
		result, err := p.run(ctx, story)
		if err != nil {
			return previewed{lock, nil}
		}
		return previewed{lock, lesson.Of(result)}
	})
}

func (p *locksPage) told(answer any) act {
	if done, ok := answer.(previewed); ok {
		p.runs[done.lock] = done.run
	}
	return nil
}

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

// indented puts a blank before each line.
func indented(lines []render.Line) []render.Line {
	for i, l := range lines {
		lines[i] = append(render.Normal.Line(" "), l...)
	}
	return lines
}

func (p *locksPage) preview(w, h int) []render.Line {
	info := p.selected()
	l := p.book.Lock(info.ID)
	out := []render.Line{render.Heading(p.book.Pair(info.ID, p.lockName(info.ID)), p.theme, w)}
	out = append(out, render.Parts([]lesson.Part{{Label: p.book.Text("claims"), Text: l.Claims}}, p.theme, w)...)
	out = append(out, render.Cut(render.Parts(p.fares(info.ID), p.theme, w), w, h/3)...)
	if source, err := strategies.Source(info.File); err == nil {
		code := render.Code{Text: source, Line: render.LessonLine(source, 0), Own: p.book.Language()}
		out = append(out, render.Heading(p.book.Text("source")+" "+info.File, p.theme, w))
		out = append(out, render.Source(code, p.theme, w, decisive)...)
	}
	return append(out, p.clearest(info.ID, w, h-len(out))...)
}

// clearest draws the lock's story at its first violation, or at its end.
func (p *locksPage) clearest(lock string, w, h int) []render.Line {
	run := p.runs[lock]
	if run == nil || h < 4 {
		return render.Block(nil, w, max(0, h))
	}
	at := clearestRow(run)
	heading := p.storyOf(lock).Title(p.book)
	lanes := render.Lanes(p.picture.of(run), render.Cursor{At: at}, p.labels, p.theme, w, min(h-2, at+6))
	out := append([]render.Line{render.Heading(heading, p.theme, w)}, lanes...)
	return render.Block(out, w, h)
}

// clearestRow is the first violation, or else the end.
func clearestRow(run *lesson.Run) int {
	if len(run.Found) > 0 {
		return run.Found[0].Row
	}
	return len(run.Rows) - 1
}

// fares lists the hazards that break the lock and not the one that answers it, those that
// break it as well, and those under which the lock holds.
func (p *locksPage) fares(lock string) []lesson.Part {
	standing, _ := scenarios.StandingOf(lock) // a test reads them
	needless, limits := apart(standing)
	return []lesson.Part{
		{Label: p.book.Text("which_breaks"), Text: p.under(needless, false)},
		{Label: p.book.Text("which_limits"), Text: p.under(limits, false)},
		{Label: p.book.Text("which_holds"), Text: p.under(standing, true)},
	}
}
