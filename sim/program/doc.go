// Package program is the code of the clients: a Coroutine is a sim.Program that
// runs a real strategy on real go-redis.
//
// It runs only between two points at which somebody decides who goes on: a
// command, a look at the clock, a sleep, an access to the resource. The one where
// go-redis meets the world is conn.go. Code that takes seconds of real time
// between two of those points is stuck (stuck.go): it is told to OnStuck, then
// given up, and Observe returns a *StuckError, which says nothing of the lock.
package program
