// Package fuzz plays real worlds at random, where there are too many schedules
// to explore. Finding nothing shows nothing.
//
// Hunt (hunt.go, run.go) plays one world after the other, within the bounds of
// a hazard of package explore: pct.go, urw.go and pick.go say how it picks what
// happens next, swarm.go with which faults, and play.go judges it. What is found
// is made shorter (shrink.go) and held against an exploration (shortest.go).
package fuzz
