// Package fuzz plays real worlds at random, where there are too many schedules to
// explore. Finding nothing proves nothing.
//
// Hunt (hunt.go, run.go) plays one world after the other within the bounds of a
// hazard of package explore. pct.go and pick.go pick the next action and the
// faults of a run, play.go judges it. shrink.go makes a counterexample shorter and
// compares it with an exploration.
package fuzz
