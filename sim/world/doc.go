// Package world is what a driver plays in: a World is a sim.State with live
// parties and the history so far. Its clients run real go-redis code, its nodes
// are real miniredis servers or parts of real Redis servers (NewLive), its clock
// is virtual. At any moment it offers a set of enabled actions; a driver picks
// one, the world performs it and appends events to its history. Configuration
// and schedule determine the history to the byte.
//
//	w, err := world.New(config, subject)
//	defer w.Close()
//	err = w.Perform(history.Action{Verb: history.Step, Client: "A"})
package world
