// Package program runs the code of the clients: a Coroutine is a sim.Program
// that runs a real strategy on real go-redis.
//
// Code runs from one park to the next: a command, a read of the clock, a sleep,
// an access to the resource. conn.go is the seam to go-redis. Code that needs
// seconds of real time between two parks is stuck (stuck.go): listeners of
// OnStuck get a report, then the run gives up the code, and Observe returns a
// *StuckError, which proves nothing about the lock.
package program
