package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// invitation says on the first screen how to begin.
func (m *model) invitation(w int) []string {
	id := "course_begin"
	if len(m.progress.Chapters) > 0 {
		id = "course_resume"
	}
	facts := prose.TextFacts{What: m.keys.Course.Help().Key, N: m.chaptersDone(), Of: m.course.chapter.n}
	lines := render.Wrap(m.book.Fill(id, facts), w)
	for i, line := range lines {
		lines[i] = m.theme.Ask.Render(line)
	}
	return lines
}

// chaptersBody is the list of chapters, each with a sign and a word for how
// far one has come.
func (m *model) chaptersBody(w, h int) []string {
	c := &m.course
	if c.broken != nil {
		return render.Wrap(c.broken.Error(), w)
	}
	words, widest := map[string]string{}, 0
	for _, state := range []string{"done", "begun", "new"} {
		words[state] = m.book.Text("chapter_" + state)
		widest = max(widest, ansi.StringWidth(words[state]))
	}
	items := make([]render.Item, len(c.chapters))
	for i, ch := range c.chapters {
		sign, state := "[ ]", "new"
		switch was, begun := m.progress.Chapters[ch.Lock]; {
		case was.Done:
			sign, state = "[x]", "done"
		case begun:
			sign, state = "[-]", "begun"
		}
		items[i] = render.Item{
			Title: fmt.Sprintf("%s %2d  %s", sign, i+1, ch.Lock),
			Note:  render.Fit(words[state], widest) + "  " + m.book.Lock(ch.Lock).Name + m.predictedIn(ch),
		}
	}
	about := []render.Part{{Label: m.book.Text("claims"), Text: m.book.Lock(c.open().Lock).Claims}}
	return m.choosing(m.book.Text("choose_chapter"), items, c.chapter.at, about, w, h)
}

// predictedIn says how many of a chapter's questions were answered rightly.
func (m *model) predictedIn(ch scenarios.Chapter) string {
	var stories []string
	for _, s := range []*scenarios.Story{ch.Works, ch.Breaks} {
		if s != nil {
			stories = append(stories, s.Name)
		}
	}
	right, of := m.progress.predicted(stories...)
	if of == 0 {
		return ""
	}
	return " (" + m.book.Fill("predicted", prose.TextFacts{N: right, Of: of}) + ")"
}

// partName is the part's number and name.
func (m *model) partName() string {
	c := &m.course
	facts := prose.TextFacts{N: c.part.at + 1, Of: c.part.n, What: m.book.Text("part_" + string(c.partHere()))}
	return m.book.Fill("nth_part", facts)
}

// courseTitle is the title of the course's own screens.
func (m *model) courseTitle() (left, right string) {
	if m.screen == courseScreen {
		return m.book.Text("course"), ""
	}
	return m.book.Lock(m.lock.ID).Name, m.partName()
}

// courseStatus says where one is.
func (m *model) courseStatus() string {
	c := &m.course
	return m.book.Fill("nth_chapter", prose.TextFacts{N: c.chapter.at + 1, Of: c.chapter.n, To: m.chaptersDone()})
}

// pageText is a part that is to be read.
func (m *model) pageText(w int) []string {
	c, text := &m.course, m.book.Text
	l := m.book.Lock(m.lock.ID)
	out := []string{render.Heading(text("part_"+string(c.partHere())), m.theme, w)}
	parts := func(parts ...render.Part) { out = append(out, render.Parts(parts, m.theme, w)...) }
	switch c.partHere() {
	case claimPart:
		parts(render.Part{Label: text("claims"), Text: l.Claims}, render.Part{Label: text("works"), Text: l.Works})
	case whyPart:
		parts(render.Part{Label: text("breaks"), Text: l.Breaks})
		out = append(out, m.lessonText(w)...)
		parts(render.Part{Label: text("costs"), Text: l.Costs}, render.Part{Label: text("seen"), Text: l.Seen})
		if c.open().Fix == "" {
			parts(render.Part{Label: text("consequence"), Text: m.book.Chapter(m.lock.ID).After})
		}
	case fixPart:
		fix := m.book.Lock(c.open().Fix)
		parts(render.Part{Label: text("fix"), Text: l.Fix}, render.Part{Label: c.open().Fix, Text: fix.Name + ". " + fix.Works})
	}
	return append(out, m.pageEnd(w)...)
}

// pageEnd says what comes next, and that what came was intended.
func (m *model) pageEnd(w int) []string {
	c := &m.course
	out := []string{""}
	if c.partHere() == whyPart && c.open().Breaks != nil {
		out = append(out, render.Wrap(m.book.Text("meant_to_fail_after"), w)...)
	}
	next := m.book.Fill("last_part", prose.TextFacts{What: m.keys.Onward.Help().Key})
	if c.part.at+1 < c.part.n {
		name := m.book.Text("part_" + string(partsOf(c.open())[c.part.at+1]))
		next = m.book.Fill("next_part", prose.TextFacts{What: m.keys.Onward.Help().Key, Said: name})
	}
	for _, line := range render.Wrap(next, w) {
		out = append(out, m.theme.Ask.Render(line))
	}
	return out
}

// lessonText is the place in the lock's source that is deliberately wrong.
func (m *model) lessonText(w int) []string {
	const around = 7
	source, err := strategies.Source(m.lock.File)
	if err != nil || !strings.Contains(source, render.Lesson) {
		return nil
	}
	before, _, _ := strings.Cut(source, render.Lesson)
	lines := strings.Split(source, "\n")
	at := strings.Count(before, "\n") // as an index
	for strings.HasPrefix(strings.TrimSpace(lines[at]), "//") {
		at++
	}
	out := []string{"", render.Heading(m.book.Text("source")+" "+m.lock.File, m.theme, w)}
	return append(append(out, render.Source(render.Code{Text: source, Line: at + 1}, m.theme, w, around)...), "")
}
