// Package model learns each part of a world once. Then it answers what an
// action does without running code. It has no bounds and visits no states;
// package explore does.
//
// A client (learner.go, repeat.go) is a trie of its observations. Its real code
// runs only to learn a new node of the trie; code that spins leads back to a node
// (spin.go). The state of a Redis node (server.NodeState) is a value; a real miniredis
// executes a command on each state at most once (execute.go).
// Both are parties (parties.go) of sim.State.Step.
//
// The model calls Step with one client and the environment, or env, that all
// clients share: the time, the nodes, the resource and the abandoned requests.
// It stores the result, an Effect (effect.go), by the parts that the result
// depends on (footprint.go). It stores a client's enabled actions (enabled.go)
// and a monitor's judgements (judge.go) in the same way.
//
// States of clients and environments are numbers (canonical.go); equal numbers
// have the same future. A state of the world is one number for each client, one
// for the environment and one for the monitor.
package model
