package pages

import (
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// A page is what fills the terminal between the shell's own lines. It has its
// own state, knows no other page but those that it opens, and says what it wants
// of the shell by an act. Pages lie on a stack (shell.go): esc takes the top one
// away, and the one below is as it was left.
type page interface {
	title() (left, right string)
	status() (left, right string)
	body(w, h int) []render.Line // the shell cuts it to w cells and h lines
	keys() []key                 // in the order of the help
}

// What a page may be besides; the shell asks for each by assertion.
type (
	// An opener begins work when it comes to the top of the stack: when it is
	// opened, and again when what covered it is gone, which has ended its work.
	opener interface{ opened() act }

	// Told hears the answers of the work that it began. An answer that comes when
	// the page is no longer on top, or was covered meanwhile, is dropped.
	told interface{ told(answer any) act }

	// A settler works out what follows from anything that happened while it was on
	// top: what fits the size, what is to be asked or kept. Nothing comes of it if
	// nothing has happened.
	settler interface{ settle() act }

	// A closer has something of its own that esc closes before it closes the page.
	closer interface{ closes() bool }

	// A waiter says whether a key is meant for something that is still to come.
	waiter interface{ waits(name string) patience }

	// A typist takes every key for its text, but those that end or stop the program.
	typist interface {
		typed(msg Key) act
		written() string // so far
	}

	// A speaker says in words what has come to be at the cursor, for those who do not
	// see it.
	speaker interface{ says() string }

	// A cover lies over a page without being another place.
	cover interface{ covers() page }

	// An explainer adds what its signs mean to the keys that the help lists.
	explainer interface {
		explains(keys []render.Line) []render.Line
	}

	// A place can be found again: by a command, or by going on with the course.
	place interface {
		place() (prose.TextFacts, bool)
	}
)

// A patience is how long a key waits for what it is meant for.
type patience int

const (
	atOnce       patience = iota // it is not to wait
	inTurn                       // and those pressed after it wait behind it
	untilAnother                 // is pressed, which takes its place
)
