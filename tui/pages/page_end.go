package pages

import (
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/tui/render"
)

// An endPage comes after the last part of a chapter: what was seen, what was answered
// wrongly, and what to look for in one's own code.
type endPage struct {
	textPage
	chapter course.Chapter
}

func newEndPage(s *shared, chapter course.Chapter) *endPage {
	p := &endPage{textPage{shared: s}, chapter}
	p.text = p.lines
	return p
}

func (p *endPage) title() (left, right string) { return p.chapterName(p.chapter), p.Text("part_end") }

func (p *endPage) keys() []key {
	on := []key{onwardKey.to(p.onward)}
	if p.more() {
		on = without(on, " ")
	}
	return append(on, p.textPage.keys()...)
}

// onward goes back to the list, at the next chapter, or after the last one to the diploma.
func (p *endPage) onward() act {
	at := p.course.chapter.at
	if p.course.chapter.move(1); p.course.chapter.at == at {
		return p.again(p.missed(p.course.Chapters...), true, func() act { return instead(newDiplomaPage(p.shared)) })
	}
	return back
}

func (p *endPage) lines(w int) render.Lines {
	var seen []any
	for _, story := range p.chapter.Plays() {
		seen = append(seen, story.Title(p.Book))
	}
	var missed []string
	for _, m := range p.missed(p.chapter) {
		missed = append(missed, m.told().Ask(p.lang))
	}
	out := p.Passages(passages{
		p.passage("end_seen", p.in(lang.Join("; ", seen...))), p.passage("end_missed", strings.Join(missed, " ")),
		p.passage("end_look", p.Lock(p.chapter.Lock).Look),
	}, w)
	return append(append(out, nil), render.Ask.Wrap(p.Gap("last_part", p.named(onwardKey)), w)...)
}
