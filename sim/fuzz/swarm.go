package fuzz

import (
	"math/rand/v2"

	"lockstep/sim/explore"
)

// swarm draws the bounds of one run: each fault with a chance of one half, and
// of the budget any part. Where everything may go wrong, it goes wrong early and
// in the same ways; see Groce, Zhang, Eide, Chen and Regehr, "Swarm Testing"
// (ISSTA 2012).
func swarm(b explore.Bounds, rng *rand.Rand) explore.Bounds {
	all := b.Faults
	b.Faults = nil
	for _, f := range all {
		if rng.IntN(2) == 0 {
			b.Faults = append(b.Faults, f)
		}
	}
	b.Budget = rng.IntN(b.Budget + 1)
	return b
}
