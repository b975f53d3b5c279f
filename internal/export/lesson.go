// Package export writes a run and its explanation as a page, a picture,
// Markdown, a Mermaid diagram, or a recording of a terminal. It reads no file.
//
// NewLesson makes a Lesson of a story's result in one language. Each format is a
// pure function from a Lesson to bytes. A run or a story can contain any text;
// each format escapes it in one place.
//
// Start with Lesson and Formats in lesson.go.
package export

import (
	"context"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Lesson is a run with its texts and explanations, in one language.
type Lesson struct {
	Name        string // the name of the story's file
	Title       string
	Lock        string // its id and its name
	World       string // the configuration
	Before      string // a remark before the first step, and ...
	After       string // ... after the last
	Consequence string
	Token       string // which replays the run
	Site        string // see Told
	Clients     []string
	Store       string // the kind of server that has the lock
	Lanes       []lesson.Lane
	Commands    []Command // of the story, in their order
	Steps       []Step    // as the walkthrough counts them, from 1
	Violations  []Violation
	Files       []File // the lock's code

	lang    string
	book    *prose.Book
	labels  lesson.Labels
	diagram *diagram.Diagram
	story   func(context.Context) (*scenarios.Story, error) // the story to show in the walkthrough
}

// A Command is one command of a story: its steps, and the texts before them.
type Command struct {
	Text      string
	Caption   string // as written by its author
	Words     string // a description, if there is no caption
	Questions []Question
	From, To  int // Steps[From:To]
}

// A Question is asked before a command.
type Question struct {
	lesson.Question
	Step int // the step that decides it, from 1
}

// A Step is one position of a reader.
type Step struct {
	Time       string
	Who        string // an actor without a lane
	Name       string // the actor, with a lane or not
	Text       string // the line of the transcript
	Command    bool   // the text is the command itself, which has no events
	File       string // the file of its line of code
	Line       int
	By         int // the client that executes it, from 1; 0 for none
	Marks      []lesson.Mark
	From, To   int // the lanes of a command's sender and node; -1 for none
	Actor      int // the lane of the actor; -1 for none
	Output     []string
	Violations []int // indices of the violations at this step
	Keys       []Key
	Beliefs    []Belief // of each client
	Owner      string   // who owns the lock, in words
}

// A Belief is what a client believes, also in words.
type Belief struct {
	Hold  lesson.Hold
	Words string
}

// A Key is one key of one node.
type Key struct {
	Node, Name, Says, Left string // the node only if there are several
	Owner                  int    // the client that owns it as the lock, from 1; 0 for none
	Changed                bool
}

// A Violation is a violated invariant with its explanation.
type Violation struct {
	Step      int    // from 1
	Invariant string // its name
	Says      string // that it is violated
	Verdict   string // who broke it, and how
	Causes    []Cause
	Parts     []lesson.Part // the rest, in order
	Happened  string
}

// A Cause is a step without which the violation would not have happened.
type Cause struct {
	Step int // from 1
	Text string
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

// questions returns all questions in order.
func (l *Lesson) questions() (all []Question) {
	for _, c := range l.Commands {
		all = append(all, c.Questions...)
	}
	return all
}

// token is the replay token of a run.
func token(h history.History) string { return history.Token(h.Config, h.Schedule) }

// A Format writes a document as one kind of file.
type Format struct {
	Ending string // the extension, with its dot
	Write  func(context.Context, Options) ([]byte, error)
}

// Options are the options of some formats.
type Options struct {
	Step int  // the step to draw, from 1; 0 for the whole run
	Dark bool // a picture
}

// A Document is a lesson, a course or a matrix.
type Document interface{ Formats() []Format }

// Formats lists the formats of a lesson.
func (l *Lesson) Formats() []Format {
	return []Format{
		{".html", func(context.Context, Options) ([]byte, error) { return l.HTML() }},
		{".svg", func(_ context.Context, o Options) ([]byte, error) { return l.SVG(o.Step, o.Dark) }},
		{".md", func(context.Context, Options) ([]byte, error) { return l.Markdown() }},
		{".mmd", func(context.Context, Options) ([]byte, error) { return l.Mermaid() }},
	}
}
