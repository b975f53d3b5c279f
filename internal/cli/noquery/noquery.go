// Package noquery keeps Bubble Tea from asking the terminal for the colour of
// its background. Version 1 does so when it is initialised, in every command
// of a program that imports it, and waits for up to five seconds where nobody
// answers. The walkthrough has no use for the answer.
//
// Nobody asks a terminal that is called dumb. So it is, from the time when this
// package is initialised until Restore. That this is before Bubble Tea's turn
// is a matter of the language: packages are initialised in the order of their
// import paths, each after what it imports itself. Package os is all that is
// imported here; Bubble Tea imports os/signal, which comes later.
package noquery

import "os"

var term, known = os.LookupEnv("TERM")

func init() { set("dumb") }

// Restore gives the terminal its name back. To be called when all packages are
// initialised, before anybody wants to know.
func Restore() {
	if known {
		set(term)
		return
	}
	_ = os.Unsetenv("TERM") // there is no such name that cannot be unset
}

// set names the terminal. A failure would only mean that it is asked.
func set(name string) { _ = os.Setenv("TERM", name) }
