// Package model learns each part of a world once, and then answers what an action
// does without running it. It has no bounds and visits no states; package explore
// does.
//
// A client (learner.go, repeat.go) is a trie of its observations. Its real code
// runs only to learn a new node; code that spins leads back to a node (spin.go).
// The state of a node (server.NodeState) is a value, and a real miniredis executes
// a command on each at most once (execute.go). Both are parties (parties.go) of
// sim.State.Step.
//
// Step is asked what an action does to one client and the environment that all
// clients share: the time, the nodes, the resource and the abandoned requests. The
// answer, an Effect (effect.go), is kept by the parts that it depends on
// (footprint.go), as are the enabled actions of a client (enabled.go) and a
// monitor's judgement of events (judge.go).
//
// States of clients and environments are numbers (canonical.go); equal numbers
// have the same future. A state of the world is a number for each client, one for
// the environment and one for the monitor.
package model
