// Package export writes a run and its explanation as a page, a picture, Markdown or a
// Mermaid diagram. It reads no file.
//
// NewLesson makes a Lesson of a story's result in one language. Each format is a
// pure function from a Lesson to bytes. A run or a story can contain any text;
// each format escapes it in one place.
//
// Start with Lesson and Formats in lesson.go.
package export

import (
	"slices"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// A Lesson is a run with its texts and explanations, in one language.
type Lesson struct {
	*lesson.Run        // a row is a step, as the walkthrough counts them, from 1
	Name        string // the name of the story's file
	Title       string
	Lock        string // its id and its name
	Before      string // a remark before the first step, and ...
	After       string // ... after the last
	Consequence string
	Site        string    // see Told
	Commands    []Command // of the story, in their order
	Violations  []Violation
	Files       []File // the lock's code

	lang    string
	book    *prose.Book
	diagram *diagram.Diagram
}

// A Command is one command of a story: its steps, and the texts before them. A page's
// script reads it as JSON.
type Command struct {
	Text      string     `json:"text"`
	Caption   string     `json:"caption,omitempty"` // as written by its author
	Words     string     `json:"words,omitempty"`   // a description, if there is no caption
	From      int        `json:"from"`              // Rows[From:To]
	To        int        `json:"-"`
	Questions []Question `json:"-"`
}

// A Question is asked before a command.
type Question struct {
	lesson.Question
	N, Step int // in the lesson, and the step that decides it, from 1
}

// A Violation is a violated invariant with its explanation.
type Violation struct {
	lesson.Found
	Step    int    // from 1
	Says    string // that it is violated
	Verdict string // who broke it, and how
	lesson.Explanation
}

// Happened is the remark that says so, if there is one.
func (v *Violation) Happened() lesson.Explanation { return v.Only(lesson.Happened) }

// Causes are the remarks about the steps without which it would not have happened.
func (v *Violation) Causes() lesson.Explanation { return v.Only(lesson.Why) }

// Rest is the remarks beside what happened and the causes.
func (v *Violation) Rest() lesson.Explanation {
	return v.Only(lesson.Trouble, lesson.Rests, lesson.Code, lesson.Cost, lesson.Saved)
}

// A File is a source file that the run executed.
type File struct {
	Name  string
	Lines []string
}

func (l *Lesson) text(id string) string { return l.book.Text(id) }

func (l *Lesson) fill(id string, f prose.TextFacts) string { return l.book.Fill(id, f) }

func (l *Lesson) nth(step int) string { return l.fill("nth_step", prose.TextFacts{N: step}) }

// causeOf writes "cause n of m".
func (l *Lesson) causeOf(n, of int) string {
	return l.fill("export_cause", prose.TextFacts{N: n, Of: of})
}

// step is the one that a remark is about, from 1.
func (l *Lesson) step(r lesson.Remark) int { return l.RowOf(r.Seq) + 1 }

// Questions returns all questions in order.
func (l *Lesson) Questions() (all []Question) {
	for _, c := range l.Commands {
		all = append(all, c.Questions...)
	}
	return all
}

// Token replays the run.
func (l *Lesson) Token() string { return history.Token(l.History.Config, l.History.Schedule) }

// store is the kind of server that has the lock.
func (l *Lesson) store() string { return history.StoreOf(l.History.Config.Key()) }

// said is the line of the transcript of a row.
func (l *Lesson) said(row lesson.Row) string { return row.Text.In(l.book.Language()) }

// who names the actor of a row that has no lane, and says what it does.
func (l *Lesson) who(row lesson.Row) string {
	if l.Actor(row) >= 0 {
		return l.said(row)
	}
	return join(row.Who, l.said(row))
}

// client is the client of a row's actor, from 1; 0 for none.
func (l *Lesson) client(row lesson.Row) int {
	if actor := l.Actor(row); actor >= 0 {
		return l.Lanes[actor].Client
	}
	return 0
}

// join joins words that are not empty with blanks.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// A keyLine is a key of a node in words: the node if there are several, what it holds,
// and how long it remains.
type keyLine struct {
	lesson.Key
	name, says, left string
}

// keys are those after a row.
func (l *Lesson) keys(row int) (out []keyLine) {
	now := l.Rows[row].Now
	for _, k := range now.Keys {
		line := keyLine{Key: k, name: k.Name, says: k.Says(l.book)}
		if now.Nodes > 1 {
			line.name = join(k.Node, k.Name)
		}
		if k.State != nil {
			line.left = k.Left(now.Now, l.book)
		}
		out = append(out, line)
	}
	return out
}

func (k keyLine) String() string { return join(k.name, k.says, k.left) }

// A Format writes a document as one kind of file.
type Format struct {
	Ending string // the extension, with its dot
	Write  func(Options) ([]byte, error)
}

// plain is a format without options.
func plain(write func() ([]byte, error)) func(Options) ([]byte, error) {
	return func(Options) ([]byte, error) { return write() }
}

// Options are the options of some formats.
type Options struct {
	Step   int  // the step to draw, from 1; 0 for the whole run
	Dark   bool // a picture
	Scroll bool // a page, as a Tale
}

// A Document is a lesson, a course or a matrix.
type Document interface{ Formats() []Format }

// Formats lists the formats of a lesson.
func (l *Lesson) Formats() []Format {
	html := func(o Options) ([]byte, error) {
		if o.Scroll {
			return l.Tale()
		}
		return l.HTML()
	}
	return []Format{{".html", html}, {".svg", l.SVG}, {".md", plain(l.Markdown)}, {".mmd", plain(l.Mermaid)}}
}
