// Package world contains World: a sim.State with live parties and the history
// so far. Its clients run real go-redis code. Its nodes are real miniredis
// servers or parts of real Redis servers (NewLive). Its clock is virtual. A
// driver picks one of the enabled actions; the world performs it and appends
// events to its history. Configuration and schedule determine the history to
// the byte.
//
//	w, err := world.New(config, subject)
//	defer w.Close()
//	err = w.Perform(history.Action{Verb: history.Step, Client: "A"})
package world
