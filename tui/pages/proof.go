package pages

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Proof is the result of an exhaustive search within a level's rules.
type Proof struct {
	Schedule    history.Schedule // reaches the goal; nil if none was found
	Shortest    bool             // none has fewer faults, or as many and fewer moves
	States      int
	Limit       lang.Word // what cut the search short; "" if every state was reached
	Assumptions lang.List // the bounds, in one line
}

// An Explorer finds the shortest solution of a level; the walkthrough does not know how. It
// returns soon after ctx is done.
type Explorer func(ctx context.Context, l *scenarios.Level) (Proof, error)
