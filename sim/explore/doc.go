// Package explore checks a model: it tries every schedule of a bounded world. It
// finds the schedule with the fewest faults, and then the fewest steps, that
// violates each invariant, or shows that within the bounds none does.
//
// Package model has learnt what an action comes to for a client and the env
// around it. The states of their product (state.go) are packed tuples of small
// numbers in the set of those visited (visited.go). search.go goes from level to
// level (frontier.go) in batches (batch.go), expand.go from a state to the
// transitions that leave it (transition.go), which are put together from the
// moves of the single clients (moves.go). property.go judges them.
//
// A hazard (hazard.go) says what may go wrong and how often; it makes the bounds
// (bounds.go). report.go and counts.go say what was found and what happened,
// verdict.go what that means, and what it does not. trace.go finds the simplest
// of the shortest schedules on the paths (path.go) between states, noreturn.go
// the point of no return, liveness.go and fairness.go whether a lock recovers.
// row.go explores a lock under several hazards, matrix.go every lock, memory.go
// says what a search takes.
//
// allowed.go lists what bounds let happen in a real world. The test's oracle
// explores by replaying such worlds, one schedule at a time; both reach the same
// states by the same number of transitions. Package fuzz plays them at random.
package explore
