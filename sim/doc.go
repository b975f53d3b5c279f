// Package sim says what may happen in a world, and what it does: State.Refusal
// and State.Step, over a table of rules (enabled.go, step.go, message.go,
// time.go). A State is a value: clients, nodes, messages on their way, the
// guarded resource, the time. Neither function runs code of a lock or of Redis:
// they ask Parties (parties.go), live ones in package world, learnt ones in the
// explorer's model.
//
// It does not pick: stories, explorers and players do. It does not judge:
// package history does. It knows no lock, no client library and no server:
//
//	program  the code of the clients, live
//	server   the nodes: embedded, or real Redis servers
//	world    a State with live parties, and the history so far
//
// Start with State.Step. README.md in this folder is a map.
package sim
