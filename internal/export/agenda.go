package export

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A HandOut is a trainer's agenda on paper: the times, what to show with which
// commands, and the questions; then the answers and the notes on pages of their
// own.
type HandOut struct {
	book   *prose.Book
	lang   string
	course *course.Course
	where  string // the course's name on a command line; "" for the default one
	agenda course.Agenda
}

// NewHandOut makes the hand-out of an agenda in a language.
func NewHandOut(language string, c *course.Course, where string, a course.Agenda) (*HandOut, error) {
	book, err := prose.Load(language)
	if err != nil {
		return nil, err
	}
	return &HandOut{book, language, c, where, a}, nil
}

// Title is the course and its minutes.
func (h *HandOut) Title() string {
	return h.book.Pair(h.course.Title(h.lang), h.book.Fill("chapter_minutes", prose.TextFacts{N: h.agenda.Minutes}))
}

// Name is the name of a slot.
func (h *HandOut) Name(s course.Slot) string {
	switch {
	case s.Chapter >= 0 && h.course.BuildsOn(s.Chapter) >= 0:
		before := h.book.Fill("agenda_builds_on", prose.TextFacts{N: h.course.BuildsOn(s.Chapter) + 1})
		return h.book.With(h.chapterName(s.Chapter), before)
	case s.Chapter >= 0:
		return h.chapterName(s.Chapter)
	case h.agenda.Break(s):
		return h.book.Text("agenda_break")
	}
	return h.book.Text("agenda_questions")
}

// Left says which chapter is left out, and why.
func (h *HandOut) Left(l course.LeftOut) string {
	minutes := h.book.Fill("chapter_minutes", prose.TextFacts{N: l.Minutes})
	return h.book.Pair(h.book.With(h.chapterName(l.Chapter), minutes), lang.In(h.book.Language(), l.Why))
}

func (h *HandOut) chapterName(i int) string {
	ch := h.course.Chapters[i]
	return cmp.Or(h.text(i).Title, h.book.Lock(ch.Lock).Name, ch.ID)
}

func (h *HandOut) text(chapter int) course.Text {
	return h.course.Text(h.lang, h.course.Chapters[chapter].ID)
}

// Clock writes a minute of the talk, as 1:05.
func Clock(minute int) string { return fmt.Sprintf("%d:%02d", minute/60, minute%60) }

// Markdown writes the hand-out. It plays the stories, since their runs answer
// the questions.
func (h *HandOut) Markdown(ctx context.Context) ([]byte, error) {
	var m markdown
	m.heading(1, h.Title())
	m.markup(course.Markup(h.course.About(h.lang)))
	h.times(&m)
	if len(h.agenda.Left) > 0 {
		m.say("**%s**", inMarkdown(h.book.Text("agenda_left")))
		for _, l := range h.agenda.Left {
			fmt.Fprintf(&m.out, "- %s\n", inMarkdown(h.Left(l)))
		}
		m.out.WriteString("\n")
	}
	m.say("%s", h.book.Pair(inMarkdown(h.book.Text("agenda_begin")), codeOf("lockstep --present"+h.at())))
	var all []asked
	for _, s := range h.chapters() {
		here, err := h.chapter(ctx, &m, s, len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, here...)
	}
	h.answers(&m, all)
	h.notes(&m)
	return m.bytes(), nil
}

// levelName is the name of a level of the course or of a proved one.
func (h *HandOut) levelName(id string) string {
	levels, _ := h.course.Playable() // what cannot be read has its id
	for i := range levels {
		if l := &levels[i]; l.ID == id {
			return cmp.Or(l.About(h.book, h.lang).Name, id)
		}
	}
	return id
}

// at is the flag that names the course.
func (h *HandOut) at() string {
	if h.where == "" {
		return ""
	}
	return " --course " + lang.Typed(h.where)
}

// chapters are the slots that have one.
func (h *HandOut) chapters() (out []course.Slot) {
	for _, s := range h.agenda.Slots {
		if s.Chapter >= 0 {
			out = append(out, s)
		}
	}
	return out
}

func (h *HandOut) times(m *markdown) {
	text := h.book.Text
	fmt.Fprintf(&m.out, "| %s | %s | %s | %s |\n| --: | --: | --: | --- |\n", text("agenda_from"), text("agenda_minutes"), text("agenda_number"), text("agenda_chapter"))
	for _, s := range h.agenda.Slots {
		number, about := "", ""
		if s.Chapter >= 0 {
			number = strconv.Itoa(s.Chapter + 1)
		}
		if s.Guessed {
			about = "~"
		}
		fmt.Fprintf(&m.out, "| %s | %s%d | %s | %s |\n", Clock(s.From), about, s.Minutes, number, inMarkdown(h.Name(s)))
	}
	m.out.WriteString("\n")
	if h.agenda.Guessed {
		m.say("%s", inMarkdown(text("agenda_guessed")))
	}
}

// asked is a question to the class. A chapter's own question has an answer but
// no prediction.
type asked struct {
	ask, answer string
	prediction  *scenarios.Prediction
}

// words is the question as Markdown. That of a chapter has markup of its own.
func (q asked) words() string {
	if q.prediction != nil {
		return inMarkdown(q.ask)
	}
	return spansIn(course.Markup(q.ask))
}

// chapter writes what to show of a chapter and returns its questions.
func (h *HandOut) chapter(ctx context.Context, m *markdown, s course.Slot, before int) (all []asked, err error) {
	ch, said, text := h.course.Chapters[s.Chapter], h.text(s.Chapter), h.book.Text
	m.heading(2, fmt.Sprintf("%s  %s", Clock(s.From), h.chapterName(s.Chapter)))
	m.markup(saidOr(said.About, h.book.Lock(ch.Lock).Claims))
	for _, shown := range shows(ch) {
		asks, err := h.story(ctx, m, shown)
		if err != nil {
			return nil, err
		}
		all = append(all, asks...)
	}
	if ch.Fix != "" {
		h.item(m, h.book.Pair(inMarkdown(text("part_compare")), inMarkdown(ch.Fix)), h.run(ch.Breaks)+" --strategy "+ch.Fix)
	}
	for _, level := range ch.Levels() {
		h.item(m, h.book.Pair(inMarkdown(text("part_level")), inMarkdown(h.levelName(level))), "")
	}
	if ch.Exercise != "" {
		h.item(m, inMarkdown(text("exercise")), "lockstep exercise "+ch.Exercise+" FOLDER")
	}
	m.out.WriteString("\n")
	if said.Question != "" {
		all = append(all, asked{ask: said.Question, answer: said.Answer})
	}
	for i, q := range all {
		m.say("**%s %d.** %s", inMarkdown(text("question")), before+i+1, inMarkdown(q.ask))
		if q.prediction == nil {
			continue
		}
		for _, choice := range q.prediction.Choices() {
			fmt.Fprintf(&m.out, "- [ ] %s\n", inMarkdown(h.book.Answer(choice)))
		}
		m.out.WriteString("\n")
	}
	return all, nil
}

// A shownStory is a story of a chapter, its part in it, and the lock it is
// played with.
type shownStory struct {
	part  string
	story *scenarios.Story
	lock  string
}

// shows returns the stories of a chapter in order.
func shows(ch course.Chapter) (list []shownStory) {
	if ch.Works != nil {
		list = append(list, shownStory{"part_work", ch.Works, ch.Lock})
	}
	if ch.Breaks != nil {
		list = append(list, shownStory{"part_break", ch.Breaks, ch.Lock})
	}
	for _, s := range ch.Stories {
		list = append(list, shownStory{"part_play", s, s.Strategy()})
	}
	return list
}

// story writes a line for a story and returns its questions with their answers.
func (h *HandOut) story(ctx context.Context, m *markdown, p shownStory) (all []asked, err error) {
	command := h.run(p.story)
	if p.lock != p.story.Strategy() {
		command += " --strategy " + p.lock
	}
	h.item(m, h.book.Pair(inMarkdown(h.book.Text(p.part)), inMarkdown(p.story.Title(h.book))), command)
	result, err := scenarios.RunAgainst(ctx, p.story.For(p.lock), p.lock)
	if err != nil {
		return nil, err
	}
	for _, b := range result.Beats {
		for i := range b.Questions {
			all = append(all, asked{ask: b.Questions[i].Ask(h.lang), prediction: &b.Questions[i]})
		}
	}
	return all, nil
}

// run is the command that plays a story: one that only the course has is found there.
func (h *HandOut) run(story *scenarios.Story) string {
	command := "lockstep run " + story.Name
	if h.own(story) {
		command += h.at()
	}
	return command
}

// own reports whether only the course has a story.
func (h *HandOut) own(story *scenarios.Story) bool {
	for _, s := range h.course.Stories {
		if s.Name == story.Name {
			return true
		}
	}
	return false
}

// item writes a line about what to show, with the command that shows it; "" for
// none. Both are Markdown.
func (h *HandOut) item(m *markdown, what, command string) {
	if command != "" {
		what = h.book.With(what, codeOf(command))
	}
	fmt.Fprintf(&m.out, "- %s\n", what)
}

func (h *HandOut) answers(m *markdown, all []asked) {
	if len(all) == 0 {
		return
	}
	m.pageBreak()
	m.heading(2, h.book.Text("export_answers"))
	for i, q := range all {
		m.say("**%s %d.** %s", inMarkdown(h.book.Text("question")), i+1, q.words())
		if q.prediction == nil {
			m.markup(course.Markup(q.answer))
			continue
		}
		said := lesson.QuestionOf(h.book, h.lang, q.prediction)
		m.say("**%s**", inMarkdown(said.Solution()))
		m.say("%s", inMarkdown(said.Answer().Because))
	}
}

func (h *HandOut) notes(m *markdown) {
	first := true
	for _, s := range h.chapters() {
		notes := h.text(s.Chapter).Notes
		if notes == "" {
			continue
		}
		if first {
			m.pageBreak()
			m.heading(2, h.book.Text("talk_notes"))
			first = false
		}
		m.heading(3, fmt.Sprintf("%s  %s", Clock(s.From), h.chapterName(s.Chapter)))
		m.markup(course.Markup(notes))
	}
}
