// Package bubble runs client code that was not written for Lockstep: its
// goroutines, timers, contexts and random numbers, on the client's own clock.
//
// Each run of such code is a bubble of testing/synctest (run.go). It makes an
// observation and comes to rest. The operations that its goroutines then wait
// for at the seam are the client's next steps. A Bubble (bubble.go) is a
// client: it holds the observations so far, and a run after them or none.
//
// A bubble's clock cannot be set back, so neither can a client's. Timers fire
// on time even while the process hangs; the hang delays the commands that
// follow.
package bubble
