package export

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/strategies"
)

// Told is the options of a lesson's texts.
type Told struct {
	Lang string
	Site string // the address of the page of a site that replays tokens; "" for a command
	// Source returns the text of a source file by its name in events; nil if all
	// locks are in the catalogue.
	Source func(file string) (string, error)
}

// NewLesson makes a lesson of a story and its result.
func NewLesson(ctx context.Context, told Told, story *scenarios.Story, result *scenarios.Result) (*Lesson, error) {
	l := newLesson(told, story.Name, "", result)
	l.Title = story.Title(l.book)
	l.commands()
	return l.tell(ctx, told)
}

// Replayed makes a lesson of a replayed schedule. The caption can be empty.
func Replayed(ctx context.Context, told Told, name, title, caption string, result *scenarios.Result) (*Lesson, error) {
	l := newLesson(told, name, title, result)
	if caption == "" {
		caption = l.fill("export_schedule", prose.TextFacts{N: len(result.History.Schedule)})
	}
	l.Commands = []Command{{Caption: caption, To: len(l.Rows)}}
	return l.tell(ctx, told)
}

// newLesson fills in all but the texts.
func newLesson(told Told, name, title string, result *scenarios.Result) *Lesson {
	book, run := prose.Load(told.Lang), lesson.Of(result)
	l := &Lesson{
		Run: run, Name: name, Title: title, Lock: result.History.Config.Strategy, Site: told.Site, Consequence: result.Consequence.In(book.Language()),
		lang: told.Lang, book: book, diagram: diagram.Of(run),
	}
	if name := book.Lock(l.Lock).Name; name != "" {
		l.Lock = book.Pair(l.Lock, name)
	}
	return l
}

func (l *Lesson) tell(ctx context.Context, told Told) (*Lesson, error) {
	l.remarks()
	if err := l.violations(ctx); err != nil {
		return nil, err
	}
	l.files(told.Source)
	return l, nil
}

// place splits "file:line".
func place(source string) (file string, line int) {
	file, number, _ := strings.Cut(source, ":")
	line, _ = strconv.Atoi(number)
	return file, line
}

func (l *Lesson) commands() {
	asked := 0
	for i, b := range l.Beats {
		c := Command{Text: b.Step.Text, Caption: cmp.Or(b.Step.Captions[l.lang], b.Step.Captions["en"])}
		if c.Caption == "" {
			c.Words = b.Step.Caption(l.book, l.lang)
		}
		c.From, c.To = l.RowsOf(i)
		for n := range b.Questions {
			p := &b.Questions[n]
			asked++
			c.Questions = append(c.Questions, Question{lesson.QuestionOf(l.book, l.lang, p), asked, l.Decides(p, c.From) + 1})
		}
		l.Commands = append(l.Commands, c)
	}
}

// remarks says whether the run is meant to fail; only locks of the catalogue
// are.
func (l *Lesson) remarks() {
	_, taught := strategies.Find(l.History.Config.Strategy)
	switch {
	case len(l.Found) == 0:
		l.After = l.text("no_violation")
	case taught:
		l.After = l.text("meant_to_fail_after")
	}
	if len(l.Questions()) > 0 {
		l.Before = l.text("will_ask")
	}
}

// maxAccounts bounds the explained violations of a run; each takes many replays.
const maxAccounts = 24

func (l *Lesson) violations(ctx context.Context) error {
	explainer, err := scenarios.Explainer(l.History)
	if err != nil {
		return err
	}
	for i, f := range l.Found {
		v := Violation{Found: f, Step: f.Row + 1, Says: l.book.Violated(f.Invariant), Verdict: scenarios.Violation(l.book, f.Violation)}
		if i < maxAccounts {
			a, err := explainer.Tell(ctx, f.Violation)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.diagram.Saves(a, f.Row)
			v.Explanation = lesson.Explain(l.book, a, err)
		}
		l.Violations = append(l.Violations, v)
	}
	return nil
}

// files collects the source files of the steps. A file that cannot be read
// appears only by name.
func (l *Lesson) files(source func(string) (string, error)) {
	for _, row := range l.Rows {
		file, _ := place(row.Source)
		if file == "" || slices.ContainsFunc(l.Files, func(f File) bool { return f.Name == file }) {
			continue
		}
		if text, err := scenarios.SourceOf(file, source); err == nil {
			l.Files = append(l.Files, File{file, strings.Split(strings.TrimRight(text, "\n"), "\n")})
		}
	}
}
