// Package bubble runs the code of a client that was not written for Lockstep: its
// goroutines, timers, contexts and random numbers as they are, on a clock that
// is the client's own.
//
// Each run of such code is a bubble of testing/synctest (run.go). It is told
// something, comes to rest, and what it then waits for at the seam is what the
// client may do next. A Bubble (bubble.go) is a client: it knows what has been
// observed so far, and has a run that stands there, or makes one.
//
// A bubble's clock cannot be set back, so neither can a client's. Its timers fire
// at the instant they are due, however long the process is held up: what it sends
// then is held up instead.
package bubble
