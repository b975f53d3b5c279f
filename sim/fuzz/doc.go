// Package fuzz plays real worlds at random, where there are too many schedules
// to explore. It proves nothing if it finds nothing.
//
// Hunt (hunt.go, run.go) plays worlds within the bounds of a hazard of package
// explore. pct.go and pick.go pick the next action and the faults of a run;
// play.go judges it. shrink.go shortens a counterexample and compares it with
// an exploration.
package fuzz
