package pages

import (
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// A page fills the terminal between the shell's own lines. It has its own state, knows
// only the pages that it opens, and makes requests to the shell by acts. Pages lie on a
// stack (shell.go): esc removes the top one, and the one below is unchanged.
type page interface {
	title() (left, right string)
	status() (left, right string)
	body(w, h int) []render.Line // the shell cuts it to w cells and h lines
	keys() []key                 // in the order of the help
}

// Optional interfaces of a page; the shell asserts them.
type (
	// An opener starts work when it gets to the top of the stack: when it is opened,
	// and when the page that covered it is gone. Covering has ended its work.
	opener interface{ opened() act }

	// Told receives the answers of its work. An answer is dropped if the page is no
	// longer on top, or was covered meanwhile.
	told interface{ told(answer any) act }

	// A settler updates its derived state after each event while it is on top: what
	// fits, what to ask, what to save. Without an event it changes nothing.
	settler interface{ settle() act }

	// A closer has something that esc closes before the page.
	closer interface{ closes() bool }

	// A waiter reports whether a key should wait for something that is still to come.
	waiter interface{ waits(name string) patience }

	// A typist takes every key as text, except those that end or stop the program.
	typist interface {
		typed(msg Key) act
		written() string // so far
	}

	// A speaker returns in words what changed at the cursor, for screen readers.
	speaker interface{ says() string }

	// A cover lies over a page and is not a place of its own.
	cover interface{ covers() page }

	// An explainer says in the help what its signs mean.
	explainer interface{ explains() []render.Line }

	// A place can be reached again: by a command, or by continuing the course.
	place interface {
		place() (prose.TextFacts, bool)
	}
)

// A patience is how long a key waits for its object.
type patience int

const (
	atOnce       patience = iota // it is not to wait
	inTurn                       // and those pressed after it wait behind it
	untilAnother                 // is pressed, which takes its place
)
