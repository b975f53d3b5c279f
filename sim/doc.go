// Package sim defines what can happen in a world and what it does: State.Refusal
// and State.Step, over a table of rules (enabled.go, step.go, message.go,
// time.go). A State is a value: clients, nodes, messages in transit, the guarded
// resource, the time. Neither function runs code of a lock or of Redis: they ask
// Parties (parties.go), which are live in package world and learnt in package
// model.
//
// Stories, explorers and players pick the actions. Package history judges the
// result. Package program runs the clients' code, package server is the nodes,
// and package world is a State with live parties and its history.
//
// Start with State.Step. README.md in this folder is a map.
package sim
