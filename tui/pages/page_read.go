package pages

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/lesson"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A readPage is a part of a chapter with text to read.
type readPage struct {
	textPage
	chapter course.Chapter
	at      int  // which part
	shown   bool // in a talk, the answer to the question of the chapter
	harm    int  // the line of the lock at which the chapter's story breaks it; 0 before that is known
}

func newReadPage(s *shared, chapter course.Chapter, at int) *readPage {
	p := &readPage{textPage: textPage{shared: s}, chapter: chapter, at: at}
	p.text = p.lines
	return p
}

// opened plays the story of the previous part, to show the line at its violation.
func (p *readPage) opened() act {
	if partsOf(p.chapter)[p.at] != whyPart || p.chapter.Breaks == nil {
		return nil
	}
	chapter := p.chapter
	return begin(func(ctx context.Context) act {
		result, err := p.against(ctx, chapter.Breaks.For(chapter.Lock), chapter.Lock)
		if err != nil || len(result.Violations) == 0 || result.Violations[0].FromTheStart() {
			return nil
		}
		_, number, _ := strings.Cut(result.History.Events[result.Violations[0].Seq].Source, ":")
		line, _ := strconv.Atoi(number)
		return func(*Shell) Cmd {
			p.harm = line
			return nil
		}
	})
}

// hides reports whether a class has not answered the question of the chapter yet.
func (p *readPage) hides() bool { return p.asks() && !p.shown }

// asks reports whether the page has an answer to hide from a class.
func (p *readPage) asks() bool {
	said := p.course.Said(p.lang, p.chapter.ID)
	return p.talk != nil && partsOf(p.chapter)[p.at] == closingPart && said.Question != "" && said.Answer != ""
}

func (p *readPage) keys() []key {
	return append(p.textPage.keys(), revealKey.now(func() { p.shown = !p.shown }).when(p.asks()))
}

// turn shows the answer before it goes on, and hides it before it goes back.
func (p *readPage) turn(by int) (act, bool) {
	if a, more := p.textPage.turn(by); more || !p.asks() || p.shown == (by > 0) {
		return a, more
	}
	p.shown = by > 0
	return nil, true
}

func (p *readPage) toEnd() {
	p.shown = true
	p.textPage.toEnd()
}

// title is empty: the chapter has one.
func (p *readPage) title() (left, right string) { return "", "" }

func (p *readPage) status() (left, right string) {
	if left, right = p.textPage.status(); left == "" {
		left = p.nthChapter()
	}
	return left, right
}

// lines shows fewer lines of source where that spares a learner a second screen.
func (p *readPage) lines(w int) render.Lines {
	const usual, least = 7, 3
	out := p.with(usual, w)
	for source := usual - 1; source >= least && len(out) > p.room(); source-- {
		if shorter := p.with(source, w); len(shorter) <= p.room() {
			return shorter
		}
	}
	return out
}

// with returns the text, with so many lines of source where it shows any.
func (p *readPage) with(source, w int) render.Lines {
	text, lock, here := p.Text, p.chapter.Lock, partsOf(p.chapter)[p.at]
	l, said := p.Lock(lock), p.course.Said(p.lang, p.chapter.ID)
	out := render.Lines{p.Heading(p.partName(p.chapter, here), w)}
	parts := func(parts ...lesson.Part) { out = append(out, p.Passages(parts, w)...) }
	switch here {
	case claimPart:
		question := text("question")
		if p.chapter.Closing {
			question = text("question_later")
		}
		parts(p.chapterAbout(p.chapter))
		if said.About != "" {
			parts(p.lockClaims(lock))
		}
		parts(p.passage("works", l.Works), lesson.Part{Label: question, Text: said.Question})
	case whyPart:
		parts(p.passage("breaks", cmp.Or(said.Breaks, l.Breaks)))
		out = append(out, p.wrongLine(source, w)...)
		parts(p.passage("costs", l.Costs), p.passage("seen", l.Seen))
		if p.chapter.Fix == "" {
			parts(p.passage("consequence", said.After))
		}
	case fixPart:
		fix := p.Lock(p.chapter.Fix)
		parts(p.passage("fix", cmp.Or(said.Fix, l.Fix)), lesson.Part{Label: p.chapter.Fix, Text: fix.Name}, p.passage("works", fix.Works), p.passage("exercise", p.exercise(lock)))
	case closingPart:
		if p.hides() { // with what it is about, as the class heard it first
			out = nil
			parts(p.chapterAbout(p.chapter), p.passage("works", l.Works), p.passage("question", said.Question))
			break
		}
		parts(p.passage("question", said.Question))
		parts(p.passage("answer", said.Answer))
		if lock == "" {
			parts(p.passage("consequence", said.After))
		}
		parts(p.passage("remember", said.Remember))
		if p.chapter.Exercise != lock || p.chapter.Fix == "" { // or else the fix has shown it
			parts(p.passage("exercise", p.exercise(p.chapter.Exercise)))
		}
	}
	return append(out, p.next(w)...)
}

// exercise returns the command that writes the lock as an exercise, if the lock has a
// fault.
func (p *shared) exercise(id string) string {
	lock, _ := strategies.Find(id)
	if render.LessonLine(strategies.Source(lock.File), 0) == 0 {
		return ""
	}
	return p.Gap("exercise_says", lock.ID)
}

// next describes the next part.
func (p *readPage) next(w int) render.Lines {
	out, list := render.Lines{nil}, partsOf(p.chapter)
	if p.talk != nil {
		return out
	}
	name := p.Text("part_end")
	if p.at+1 < len(list) {
		name = p.partName(p.chapter, list[p.at+1])
	}
	return append(out, render.Ask.Wrap(p.Fill("next_part", facts{Said: name}), w)...)
}

// wrongLine returns the deliberate fault in the lock's source: the one at which its
// story breaks it, or else the first.
func (p *readPage) wrongLine(around, w int) render.Lines {
	lock, _ := strategies.Find(p.chapter.Lock)
	source := strategies.Source(lock.File)
	at := render.LessonLine(source, p.harm)
	if at == 0 {
		return nil
	}
	out := render.Lines{nil, p.Heading(p.Text("source")+" "+lock.File, w)}
	return append(append(out, p.Source(render.Code{Text: source, Line: at, Own: p.Language()}, w, around)...), nil)
}
