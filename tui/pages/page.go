package pages

import "lockstep/tui/render"

// A page fills the terminal between the shell's own lines. It has its own state, knows
// only the pages that it opens, and makes requests to the shell by acts. Pages lie on a
// stack (shell.go): esc removes the top one, and the one below is unchanged. A page embeds
// shared, which has the methods that most pages need not have.
type page interface {
	title() (left, right string)
	status() (left, right string)
	body(w, h int) render.Lines // the shell cuts it to w cells and h lines
	keys() []key                // in the order of the help

	// sections divides the page for a face that wraps lines itself; nil if it is its body.
	sections() []Section

	// opened starts work when the page gets to the top of the stack: when it is opened,
	// and when the page that covered it is gone. Covering has ended its work.
	opened() act

	// settle updates the derived state after each event while the page is on top: what
	// fits, what to ask, what to save. Without an event it changes nothing.
	settle() act

	// closes closes what esc closes before the page; false if there is nothing.
	closes() bool

	// waits reports whether a key should wait for something that is still to come.
	waits(name string) patience

	// says returns in words what changed at the cursor, for screen readers; "" leaves it
	// to what is selected.
	says() string

	// written returns what has been typed where a text or a number is; nil elsewhere.
	written() *string

	// explains returns what the help says of the signs on the page.
	explains() render.Lines

	// place returns where the page can be opened again, by a command or by continuing the
	// course; false if nowhere.
	place() (facts, bool)
}

func (*shared) status() (left, right string) { return "", "" }
func (*shared) sections() []Section          { return nil }
func (*shared) opened() act                  { return nil }
func (*shared) settle() act                  { return nil }
func (*shared) closes() bool                 { return false }
func (*shared) waits(string) patience        { return atOnce }
func (*shared) says() string                 { return "" }
func (*shared) explains() render.Lines       { return nil }
func (*shared) written() *string             { return nil }
func (*shared) place() (f facts, _ bool)     { return f, false }

// Interfaces of some pages, for which the shell asks by a type assertion.
type (
	// A typist takes every key as text, except those that end or stop the program.
	typist interface{ typed(msg Key) act }

	// A cover lies over a page and is not a place of its own.
	cover interface{ covers() page }
)

// A patience is how long a key waits for its object.
type patience int

const (
	atOnce       patience = iota // it does not wait
	inTurn                       // it waits, and the keys after it wait behind it
	untilAnother                 // it waits until another key takes its place
)

// until makes keys wait for what a page shows, except the one that leaves it.
func until(there bool, name string) patience {
	if there || backKey.is(name) {
		return atOnce
	}
	return inTurn
}
