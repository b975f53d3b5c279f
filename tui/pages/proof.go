package pages

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Proof is what an exhaustive search within a level's rules came to.
type Proof struct {
	Schedule    history.Schedule // reaches the goal; nil if none was found
	Shortest    bool             // none has fewer faults, or as many and fewer moves
	States      int
	Limit       lang.Word // what cut the search short; "" if every state was reached
	Assumptions lang.List // the bounds, in one line
}

// An Explorer knows what a learner is held against. The walkthrough shows it
// and does not know how it is computed.
type Explorer struct {
	// Shortest explores a level. It returns soon after ctx is done.
	Shortest func(ctx context.Context, l *scenarios.Level) (Proof, error)
}
