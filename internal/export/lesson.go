package export

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Lesson is one run with all that is told of it, in one language.
type Lesson struct {
	Name        string // of the story, as its file has it
	Title       string
	Lock        string // its id and its name
	World       string // the configuration
	Before      string // what a reader is told before the first step, and ...
	After       string // ... after the last
	Consequence string
	Token       string // which plays the run again
	Clients     []string
	Lanes       []Lane
	Commands    []Command // of the story, in their order
	Steps       []Step    // as the walkthrough counts them, from 1
	Violations  []Violation
	Files       []File // the lock's code

	lang  string
	book  *prose.Book
	story func(context.Context) (*scenarios.Story, error) // which the walkthrough can show
}

// A Lane is one column of the picture: a client, a thread of it, or a node.
type Lane struct {
	Name   string
	Client int  // from 1; 0 for a node
	Main   bool // it is a client's main strand
}

// A Command is one command of a story: the steps that it led to, and what is said
// before them.
type Command struct {
	Text      string
	Caption   string // as its author wrote it
	Words     string // what it does, where nothing is written
	Questions []Question
	From, To  int // Steps[From:To]
}

// A Question is asked before a command.
type Question struct {
	lesson.Question
	Step int // at which the run decides it, from 1
}

// A Step is one place at which a reader can be.
type Step struct {
	Time       string
	Who        string // whom no lane shows
	Text       string // as a transcript has it
	Command    bool   // the text is the command: it led to nothing that could be seen in a lane
	File       string // whose line of code it comes from
	Line       int
	By         int // whose: which client, from 1; 0 for nobody's
	Marks      []Mark
	From, To   int // the lanes between which a command went; -1 for none
	Actor      int // the lane of whoever acts; -1 for nobody
	Output     []string
	Violations []int // those that are met here, as indices
	Keys       []Key
	Beliefs    []Belief // of each client
	Owner      string   // who owns the lock, in words
}

// A Mark is what one lane shows at one step.
type Mark byte

// The marks.
const (
	Idle Mark = iota
	Gone
	Acts
	Hit
	Faulted
)

// A Hold is what a client believes, and whether it is so.
type Hold byte

// What there is to believe.
const (
	NotHeld Hold = iota
	Held
	AtWork
	Wrongly // it believes that it holds the lock, and does not own it
	Dead
	Unprotected // in the critical section, without believing that it holds the lock
)

// A Belief is a client's, in words too.
type Belief struct {
	Hold  Hold
	Words string
}

// A Key is one key of one node.
type Key struct {
	Node, Name, Says, Left string // the node only where there are several
	Owner                  int    // of the lock that it is: which client, from 1; 0 for none
	Changed                bool
}

// A Violation is an invariant that fails, with what is told of it.
type Violation struct {
	Step      int    // from 1
	Invariant string // its name
	Says      string // that it is violated
	Verdict   string // who broke it, and how
	Causes    []Cause
	Parts     []lesson.Part // the rest, in order
	Happened  string
}

// A Cause is a step without which it would not have happened.
type Cause struct {
	Step int // from 1
	Text string
}

// A File is a file of code that the run has gone through.
type File struct {
	Name  string
	Lines []string
}

func (l *Lesson) text(id string) string { return l.book.Text(id) }

func (l *Lesson) fill(id string, f prose.TextFacts) string { return l.book.Fill(id, f) }

func (l *Lesson) nth(step int) string { return l.fill("nth_step", prose.TextFacts{N: step}) }

// causeOf says which cause of how many a step is.
func (l *Lesson) causeOf(n, of int) string {
	return l.fill("export_cause", prose.TextFacts{N: n, Of: of})
}

// questions are all of the lesson, in order.
func (l *Lesson) questions() (all []Question) {
	for _, c := range l.Commands {
		all = append(all, c.Questions...)
	}
	return all
}

// token is the run as it can be played again.
func token(h history.History) string { return history.Token(h.Config, h.Schedule) }
