package tui

import (
	"strings"

	"lockstep/message"
	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A readPage is a part of a chapter that is to be read.
type readPage struct {
	textPage
	chapter scenarios.Chapter
	at      int // which part
}

func newReadPage(s *shared, chapter scenarios.Chapter, at int) *readPage {
	p := &readPage{textPage: textPage{shared: s}, chapter: chapter, at: at}
	p.text = p.lines
	return p
}

// title is that of the chapter around it.
func (p *readPage) title() (left, right string) { return "", "" }

func (p *readPage) status() (left, right string) {
	if left, right = p.textPage.status(); left == "" {
		left = p.nthChapter()
	}
	return left, right
}

func (p *readPage) lines(w int) []string {
	text, lock, here := p.book.Text, p.chapter.Lock, partsOf(p.chapter)[p.at]
	l := p.book.Lock(lock)
	out := []string{render.Heading(text("part_"+string(here)), p.theme, w)}
	parts := func(parts ...render.Part) { out = append(out, render.Parts(parts, p.theme, w)...) }
	switch here {
	case claimPart:
		parts(render.Part{Label: text("claims"), Text: l.Claims}, render.Part{Label: text("works"), Text: l.Works})
	case whyPart:
		parts(render.Part{Label: text("breaks"), Text: l.Breaks})
		out = append(out, p.wrongLine(w)...)
		parts(render.Part{Label: text("costs"), Text: l.Costs}, render.Part{Label: text("seen"), Text: l.Seen})
		if p.chapter.Fix == "" {
			parts(render.Part{Label: text("consequence"), Text: p.book.Chapter(lock).After})
		}
	case fixPart:
		fix := p.book.Lock(p.chapter.Fix)
		parts(render.Part{Label: text("fix"), Text: l.Fix}, render.Part{Label: p.chapter.Fix, Text: p.in(message.Join(". ", fix.Name, fix.Works))})
	}
	return append(out, p.next(w)...)
}

// next says what comes next, and that what came was intended.
func (p *readPage) next(w int) []string {
	list := partsOf(p.chapter)
	out := []string{""}
	if list[p.at] == whyPart && p.chapter.Breaks != nil {
		out = append(out, render.Wrap(p.book.Text("meant_to_fail_after"), w)...)
	}
	key := onwardKey.names(p.book)
	next := p.book.Fill("last_part", prose.TextFacts{What: key})
	if p.at+1 < len(list) {
		name := p.book.Text("part_" + string(list[p.at+1]))
		next = p.book.Fill("next_part", prose.TextFacts{What: key, Said: name})
	}
	for _, line := range render.Wrap(next, w) {
		out = append(out, p.theme.Ask.Render(line))
	}
	return out
}

// wrongLine is the place in the lock's source that is deliberately wrong.
func (p *readPage) wrongLine(w int) []string {
	const around = 7
	lock, _ := strategies.Find(p.chapter.Lock)
	source, err := strategies.Source(lock.File)
	if err != nil || !strings.Contains(source, render.Lesson) {
		return nil
	}
	before, _, _ := strings.Cut(source, render.Lesson)
	lines := strings.Split(source, "\n")
	at := strings.Count(before, "\n") // as an index
	for strings.HasPrefix(strings.TrimSpace(lines[at]), "//") {
		at++
	}
	out := []string{"", render.Heading(p.book.Text("source")+" "+lock.File, p.theme, w)}
	return append(append(out, render.Source(render.Code{Text: source, Line: at + 1}, p.theme, w, around)...), "")
}
