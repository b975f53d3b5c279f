// Package explore tries every schedule of a bounded world. It finds the
// schedule with the fewest faults, and then the fewest steps, that violates
// each invariant, or shows that within the bounds none does.
//
// It learns each part of a world once and explores their product. A client
// (learn.go) is a trie of what it has observed; its real code runs only to
// learn a new node. A node's state (sim.NodeState) is a value; a real miniredis
// executes a command on each at most once (execute.go). What sim.State.Step
// makes of a client and the world around it (model.go), by what it touches of
// them (footprint.go), and what a monitor makes of that (parts.go), is looked up from
// then on (turns.go). A state of the whole model (state.go) is a packed tuple of
// small numbers in the set of those visited (visited.go); search.go goes from
// level to level (frontier.go) in batches (batch.go), expand.go from a state to
// the transitions that leave it (transition.go).
//
// A hazard (hazard.go) says what may go wrong and how often; it makes the
// bounds. verdict.go says what a result means, and what it does not. trace.go
// finds the simplest of the shortest schedules, turning.go the point of no
// return, orphan.go and fair.go whether a lock recovers. matrix.go explores
// every lock, memory.go says what a search takes.
//
// bounds.go and allowed.go say what bounds let happen in a real world, for the
// test's oracle and for package fuzz, which plays such worlds at random.
//
// The test's oracle explores by replaying real worlds, one schedule at a time;
// both reach the same states by the same number of transitions.
package explore
