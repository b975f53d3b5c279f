// Package trial tries a lock that is not in the catalogue under every hazard. A
// Plan says what to try and what the lock's contract allows, a Trial tries it, and
// a Report holds the result for one hazard.
//
// A Suite is the locks that the tests of a Go package try with locktest.Check, so
// that a program other than go test can use them as it uses the locks of the
// catalogue. It compiles the tests into a temporary folder, asks them for their
// locks, and runs each lock in a process of its own; process.go is the protocol.
package trial
