// Package explore checks a model: it tries every schedule of a bounded world.
// It finds, for each invariant, the counterexample with the fewest faults and
// then the fewest actions, or shows that there is none within the bounds.
//
// Package model learns the transitions of each client and of the environment
// that they share. A state (state.go) is a tuple of small numbers. To follow a search:
// Explore and exploreOnce (explore.go), run and reach, from level to level of the frontier
// (search.go, frontier.go), expand (expand.go), and add, to the visited set (visited.go).
// expand asks for the transitions that leave a state (transition.go), from the moves of
// each client (moves.go). property.go checks the invariants on them.
//
// A hazard (hazard.go) defines which faults can happen and how often, as bounds
// (bounds.go). report.go has the result, the verdict and its assumptions;
// counts.go counts events. liveness.go decides whether a lock recovers. trace.go finds
// the simplest of the shortest counterexamples on the paths (path.go) between states,
// noreturn.go the point of no return.
// row.go explores a lock under several hazards, matrix.go every lock.
//
// allowed.go lists the actions that the bounds allow in a real world. The tests
// explore by replaying such worlds, one schedule at a time: both reach the same
// states by the same number of transitions. Package fuzz plays such worlds at
// random.
package explore
