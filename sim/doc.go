// Package sim is the world: clients that run real go-redis code, Redis nodes
// that are real miniredis servers, or parts of real Redis servers (NewLive), a
// guarded resource, and a virtual clock. At any moment a World offers a set of
// enabled actions; a driver picks one, the world performs it and appends events
// to its history. Configuration and schedule determine the history to the byte.
//
// What may happen and what it does is said once: State.Refusal and State.Step,
// over a table of rules (enabled.go, step.go, message.go, time.go). They run no
// code of a lock or of Redis: they ask Parties (parties.go), live ones in a
// World, learnt ones in the explorer's model. README.md in this folder is a map.
//
// Code that takes seconds of real time between two of those points is stuck
// (stuck.go): it is told to OnStuck, then given up, and Perform returns a
// *StuckError, which says nothing of the lock.
//
// It does not pick: stories, explorers and players do. It does not judge:
// package history does.
//
// Start with State.Step; the point where go-redis meets the world is
// conn.go. Where miniredis would not do as Redis does, correct.go and
// transaction.go have it do so; TestConformance compares the two.
//
//	w, err := sim.New(config, subject)
//	defer w.Close()
//	err = w.Perform(history.Action{Verb: history.Step, Client: "A"})
package sim
