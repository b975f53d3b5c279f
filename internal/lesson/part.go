package lesson

// A Part is a labelled passage of a card.
type Part struct{ Label, Text string }

// A Cause is a step that led to a violation, and the key that leads there.
type Cause struct {
	Key  string // "" for none
	Step int    // from 1
	Text string
	// Either is set for two of which one would have done.
	Either bool
}
