package render

// Labels are the words that the panes write beside the data, in the learner's
// language. Those with a number are functions of it.
type Labels struct {
	Time string // above the rows' times

	NoKeys, Gone, Was, New, NewTTL, NoTTL, TTLOver string
	More                                           func(n int) string // so many keys are not shown

	Beliefs, Redis string // headings
	// What a client believes.
	Dead, Hung, Trying, Refused, Unknown, Nothing, Held, AtWork, Unprotected string
	// What Redis says about it.
	Owned, LeftBehind, Wrong, NotHeld, NoLock string
	OnNodes                                   func(n, of int) string

	Because string // before the steps that led to a violation
	Step    func(n int) string
	Nth     func(n, of int) string

	Lock                                          string // above the locks' names
	NotYet, Working, Holds, Vacuous, Inconclusive string // what a cell of the matrix says

	Moves, From func(n int) string // of a branch: so many, and where it left another

	Alive, Inside, Acts, Hit, Fault, Bad string // what the marks of the lanes mean
}
