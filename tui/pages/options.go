package pages

import (
	"time"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/explore"
)

// Options configure the start and the look of the walkthrough.
type Options struct {
	Story    *scenarios.Story // open this story; else the list of locks
	Lock     string           // open the stories of this lock
	Nameless bool             // no command opens Story again by its name
	At       int              // the step of Story to begin with, from 1
	Cell     *explore.Report  // open what was found in this cell of Matrix
	Course   *course.Course   // nil for the one that is open where none is named
	CourseAt string           // what a command line calls Course
	Courses  []Choice         // to choose from; none where there is only one
	Lang     string           // of the prose; "" is English
	ASCII    bool             // only ASCII characters
	NoColor  bool
	// Background is the terminal's background, "dark" or "light"; "" if it is unknown.
	Background string
	// AskBackground replaces it by what the terminal answers, if it does.
	AskBackground bool
	// NoAnimation makes playing jump to its end, and nothing on the screen moves by
	// itself.
	NoAnimation bool
	Present     bool // begin in the presenter's mode, at the course
	// Clock is the clock of the presenter's timer; nil is time.Now.
	Clock    func() time.Time
	Tour     bool            // show what is on the screen to one who is here for the first time
	NoMouse  bool            // the mouse stays the terminal's, which selects text with it
	Progress *progress.Store // nil keeps none
	// Browser means that there is nothing to quit to, that tab moves between elements,
	// that a token is the end of an address, that texts name buttons by what they say and not
	// keys, and that none names a command, since nobody can enter one.
	Browser bool
	Matrix  *Matrix // the cells of the matrix screen; nil for no such screen
	// With is the package of locks from outside the catalogue, as the command line
	// names it; "" for none.
	With string
	// Source returns a file of code from outside the catalogue, by its name in events;
	// nil if there is none.
	Source   func(file string) (string, error)
	Explorer Explorer        // what a learner is held against in a level; nil for nothing
	Stale    <-chan struct{} // closed when what is shown is out of date: the walkthrough ends; nil for never
	// OnStuck makes tell report stuck code, and its end, until stop is called; nil if
	// nobody watches.
	OnStuck   func(tell func(s Stuck, over bool)) (stop func())
	Clipboard func(text string) error // asks the face to copy; nil for one that cannot
}

// A Choice is a course that the learner can choose.
type Choice struct {
	At   string // what a command line calls it; "" for the usual one
	Open func() (*course.Course, *progress.Store)
}
