// Package model learns each part of a world once, and answers from then on what
// an action comes to. It knows no bounds and visits nothing: package explore does.
//
// A client (learner.go, repeat.go) is a trie of what it has observed; its real
// code runs only to learn a new node, and code that spins leads round (spin.go).
// A node's state (server.NodeState) is a value; a real miniredis executes a
// command on each at most once (execute.go). Both are parties (parties.go) of
// sim.State.Step, which is asked what an action makes of one client and the env
// around it: the time, the nodes, the resource and the abandoned requests, which
// all clients share. The answer, an Effect (effect.go), is kept by what it
// depends on (footprint.go, memo.go), and likewise what a client can do
// (enabled.go, fault.go) and what a monitor makes of what happened (judge.go).
//
// States of clients and envs are numbers (canonical.go): equal ones have the same
// future. A state of the whole world is a number for each client, one for the
// env and one for the monitor.
package model
