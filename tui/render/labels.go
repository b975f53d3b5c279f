package render

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// Labels are the words that the panes write beside the data, in the learner's
// language. Those with a number are functions of it.
type Labels struct {
	In        lang.Language
	Invariant func(id string) string      // what it is called
	Violated  func(id string) string      // that it is violated
	Printed   func(l history.Line) string // a line that a command printed

	Pair, List func(a, b string) string // a name and what it is; one thing and the next

	Time string // above the rows' times

	NoKeys, Gone, Was, New, NewTTL, NoTTL, TTLOver string
	More                                           func(n int) string // so many keys are not shown

	Axis, Overlap  string             // names of the ruler and of a band
	Nobody         string             // owns the lock
	Several, Since func(n int) string // so many believe; an invariant is broken from that step on
	// What a client believes.
	Dead, Hung, Trying, Refused, Unknown, Nothing, Held, AtWork, Unprotected string
	// What Redis says about it.
	Owned, LeftBehind, Wrong, NoLock string
	OnNodes                          func(n, of int) string

	// What stands on the card of a violation before what is told of it.
	Happened, Why, Either, Replaying string
	Step                             func(n int) string

	Lock                                                   string // above the locks' names
	NotYet, Working, Holds, Allowed, Vacuous, Inconclusive string // what a cell of the matrix says

	Moves, From func(n int) string // of a branch: so many, and where it left another

	// What the marks mean: of the lanes, of the bands, of the strip.
	Here, Alive, Inside, Acts, Hit, Fault, Bad, Believes, Initial, Broken, Open, Parts string
}
