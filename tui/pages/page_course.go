package pages

import (
	"fmt"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/tui/render"
)

// A coursePage lists the chapters, each with its progress as a sign and a word.
type coursePage struct{ *shared }

var confirmKey = keyOf("confirm")

func (p *coursePage) title() (left, right string) {
	return p.Text("course"), p.course.Title(p.lang)
}

func (p *coursePage) status() (left, right string) { return p.nthChapter(), "" }

func (p *coursePage) keys() []key {
	keys := append([]key{keyOf("anew").to(p.askAnew).when(p.isBegun()), keyOf("reset").to(p.askReset)}, p.course.chapter.keys(p.open)...)
	keys = append(keys, p.toWhich())
	keys = append(keys, keyOf("diploma").to(func() act { return push(newDiplomaPage(p.shared)) }).when(p.talk == nil))
	return append(keys, keyOf("courses").to(func() act { return push(newCoursesPage(p.shared)) }).when(len(p.courses) > 0 && p.talk == nil),
		p.toSearch())
}

// open starts the chapter at the cursor, or continues it. A chapter that is done starts
// again.
func (p *coursePage) open() act {
	return push(newChapterPage(p.shared, p.whereLeft(p.course.open())))
}

func (p *coursePage) turn(by int) (act, bool) {
	if by < 0 {
		return nil, false
	}
	return p.open(), true
}

func (p *coursePage) toEnd() {}

// isBegun reports whether the chapter at the cursor has progress to delete.
func (p *coursePage) isBegun() bool {
	_, begun := p.progress.Chapters[p.course.open().ID]
	return begun || p.chapterResult(p.course.open()) != ""
}

// askAnew asks before it deletes the progress of a chapter.
func (p *coursePage) askAnew() act {
	ch := p.course.open()
	question := p.Fill("anew_ask", facts{What: p.named(confirmKey), Said: p.chapterName(ch)})
	return ask(question, confirmKey.to(func() act {
		return all(p.change(forgetChapter(ch)), say(p.Fill("anew_done", facts{Said: p.chapterName(ch)})))
	}))
}

// askReset asks before it deletes all progress.
func (p *coursePage) askReset() act {
	question := p.Gap("reset_ask", p.named(confirmKey))
	return ask(question, confirmKey.to(func() act {
		p.course.chapter.at = 0
		return all(p.change(func(p *progress.Progress) { *p = progress.New() }), say(p.Text("reset_done")))
	}))
}

func (p *coursePage) body(w, h int) render.Lines {
	c := p.course
	about := passages{p.chapterAbout(c.open())}
	_, begun := p.progress.Chapters[c.open().ID] // another chapter may have the same stories
	if text := p.chapterResult(c.open()); text != "" && begun && p.talk == nil {
		about = append(about, p.passage("result", text))
	}
	return p.choosing(p.Text("choose_chapter"), p.items(), c.chapter.at, about, w, h)
}

// items returns the chapters with their progress; in a talk, with their planned minutes.
func (p *coursePage) items() (items []render.Item) {
	for i, ch := range p.course.Chapters {
		sign, note := "[ ] ", ch.ID
		switch was, begun := p.progress.Chapters[ch.ID]; {
		case p.talk != nil && ch.Minutes > 0:
			sign, note = "", p.Count("chapter_minutes", ch.Minutes)
		case p.talk != nil:
			sign, note = "", ""
		case was.Done:
			sign, note = "[x] ", p.With(ch.ID, p.Text("chapter_done"))
		case begun:
			sign, note = "[-] ", p.With(ch.ID, p.Text("chapter_begun"))
		}
		if p.Flow {
			sign = "" // the words say it
		}
		items = append(items, render.Item{Title: fmt.Sprintf("%s%2d  %s", sign, i+1, p.chapterName(ch)), Note: note})
	}
	return items
}

// chapterResult returns the learner's results in a chapter; "" for none.
func (p *coursePage) chapterResult(ch course.Chapter) string {
	var parts []any
	if text := p.predictedIn(ch); text != "" {
		parts = append(parts, text)
	}
	for _, id := range ch.Levels() {
		if level := p.levels.find(id); level != nil {
			if text := p.levelResult(level); text != "" {
				parts = append(parts, p.Pair(level.Config.Strategy, text))
			}
		}
	}
	return p.in(lang.Join(". ", parts...))
}

// predictedIn counts the correct answers in a chapter, and its questions.
func (p *coursePage) predictedIn(ch course.Chapter) string {
	var stories []string
	for _, s := range ch.Plays() {
		stories = append(stories, s.Name)
	}
	right, of := p.progress.Predicted(stories...)
	if of == 0 {
		return ""
	}
	return p.Count("predicted", right, max(of, len(p.questions(ch.Plays(), func(progress.Answer, bool) bool { return true }))))
}

func (p *coursePage) place() (facts, bool) { return p.coursePlace(), true }
