package export

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
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
	t, err := newBuilder(told, story.Name, "", result)
	if err != nil {
		return nil, err
	}
	t.Title = story.Title(t.book)
	t.story = func(context.Context) (*scenarios.Story, error) { return story, nil }
	t.commands()
	return t.tell(ctx, told)
}

// Replayed makes a lesson of a replayed schedule. The caption can be empty.
func Replayed(ctx context.Context, told Told, name, title, caption string, result *scenarios.Result) (*Lesson, error) {
	t, err := newBuilder(told, name, title, result)
	if err != nil {
		return nil, err
	}
	if caption == "" {
		caption = t.fill("export_schedule", prose.TextFacts{N: len(result.History.Schedule)})
	}
	t.story = func(ctx context.Context) (*scenarios.Story, error) {
		return scenarios.FromSchedule(ctx, identifier(name), result.History.Config, result.History.Schedule)
	}
	t.Commands = []Command{{Caption: caption, To: len(t.Steps)}}
	return t.tell(ctx, told)
}

// newBuilder fills in all but the texts.
func newBuilder(told Told, name, title string, result *scenarios.Result) (*builder, error) {
	book, err := bookOf(told.Lang)
	if err != nil {
		return nil, err
	}
	h := result.History
	l := &Lesson{
		Name: name, Title: title, World: h.Config.String(), Token: token(h), Clients: h.Config.Clients, Store: history.StoreOf(h.Config.Key()),
		Lock: h.Config.Strategy, Site: told.Site, Consequence: result.Consequence.In(book.Language()), lang: told.Lang, book: book,
	}
	if name := book.Lock(l.Lock).Name; name != "" {
		l.Lock = book.Pair(l.Lock, name)
	}
	l.labels = lesson.LabelsOf(book)
	t := &builder{l, lesson.Of(result)}
	t.Lanes, t.diagram = t.run.Lanes, diagram.Of(t.run)
	t.steps()
	return t, nil
}

func (t *builder) tell(ctx context.Context, told Told) (*Lesson, error) {
	t.remarks()
	if err := t.violations(ctx); err != nil {
		return nil, err
	}
	t.files(told.Source)
	return t.Lesson, nil
}

// title capitalizes a name.
func title(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// A builder fills a lesson from a run.
type builder struct {
	*Lesson
	run *lesson.Run
}

func (t *builder) steps() {
	for i, row := range t.run.Rows {
		s := Step{
			Time: t.run.Time(i).String(), Text: row.Text.In(t.labels.In), Command: row.Command != "", Actor: t.run.Actor(row),
			Marks: row.Lanes, Violations: row.Found,
		}
		if s.Name = row.Who; s.Actor < 0 {
			s.Who = row.Who
		}
		s.From, s.To = t.run.Wire(row)
		for _, out := range row.Output {
			s.Output = append(s.Output, scenarios.PlainLine(t.book, out))
		}
		if row.Source != "" {
			s.File, s.Line = place(row.Source)
			s.By, _ = t.run.By(i)
		}
		t.state(&s, t.run.At(i))
		t.Steps = append(t.Steps, s)
	}
}

// place splits "file:line".
func place(source string) (file string, line int) {
	file, number, _ := strings.Cut(source, ":")
	line, _ = strconv.Atoi(number)
	return file, line
}

// state fills in the state of the world at a step.
func (t *builder) state(s *Step, now lesson.Snapshot) {
	for _, k := range now.Keys {
		key := Key{Name: k.Name, Says: k.Says(t.labels), Owner: k.Owner, Changed: k.Changed}
		if now.Nodes > 1 {
			key.Node = k.Node
		}
		if k.State != nil {
			key.Left = k.Left(now.Now, t.labels)
		}
		s.Keys = append(s.Keys, key)
	}
	for _, c := range now.Clients {
		s.Beliefs = append(s.Beliefs, Belief{c.Hold, c.Believes(t.labels)})
	}
	s.Owner = now.Truth(t.labels)
}

func (t *builder) commands() {
	for i, b := range t.run.Beats {
		c := Command{Text: b.Step.Text, Caption: cmp.Or(b.Step.Captions[t.lang], b.Step.Captions["en"])}
		if c.Caption == "" {
			c.Words = b.Step.Caption(t.book, t.lang)
		}
		c.From, c.To = t.run.RowsOf(i)
		for n := range b.Questions {
			p := &b.Questions[n]
			c.Questions = append(c.Questions, Question{lesson.QuestionOf(t.book, t.lang, p), t.run.Decides(p, c.From) + 1})
		}
		t.Commands = append(t.Commands, c)
	}
}

// remarks says whether the run is meant to fail; only locks of the catalogue
// are.
func (t *builder) remarks() {
	_, taught := strategies.Find(t.run.History.Config.Strategy)
	switch {
	case len(t.run.Found) == 0:
		t.After = t.text("no_violation")
	case taught:
		t.Before, t.After = t.text("meant_to_fail_before"), t.text("meant_to_fail_after")
	}
}

// maxAccounts bounds the explained violations of a run; each takes many replays.
const maxAccounts = 24

func (t *builder) violations(ctx context.Context) error {
	explainer, err := scenarios.Explainer(t.run.History)
	if err != nil {
		return err
	}
	for i, f := range t.run.Found {
		v := Violation{
			Step: f.Row + 1, Invariant: t.book.InvariantName(f.Invariant), Says: t.labels.Violated(f.Invariant),
			Verdict: scenarios.Violation(t.book, f.Violation),
		}
		if i < maxAccounts {
			a, err := explainer.Tell(ctx, f.Violation)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.diagram.Saves(a, f.Row)
			t.account(&v, lesson.Explain(t.book, a, err))
		}
		t.Violations = append(t.Violations, v)
	}
	return nil
}

func (t *builder) account(v *Violation, e lesson.Explanation) {
	for _, r := range e {
		switch r.Kind {
		case lesson.Happened:
			v.Happened = r.Text
		case lesson.Why:
			v.Causes = append(v.Causes, Cause{Step: t.run.RowOf(r.Seq) + 1, Text: r.Text})
		default:
			v.Parts = append(v.Parts, r.Part)
		}
	}
}

// files collects the source files of the steps. A file that cannot be read
// appears only by name.
func (t *builder) files(source func(string) (string, error)) {
	for _, s := range t.Steps {
		if s.File == "" || slices.ContainsFunc(t.Files, func(f File) bool { return f.Name == s.File }) {
			continue
		}
		dir, name := path.Split(s.File)
		read := func() (string, error) { return strategies.Source(name) }
		if dir != "strategies/" && source != nil {
			read = func() (string, error) { return source(s.File) }
		}
		if text, err := read(); err == nil {
			t.Files = append(t.Files, File{s.File, strings.Split(strings.TrimRight(text, "\n"), "\n")})
		}
	}
}
