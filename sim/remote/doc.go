// Package remote lets the code of a lock run in a process of its own, so that
// nothing it does, a panic or a loop without end, ends more than that.
//
// A Host (host.go) is the lock as everybody else takes it, and Host.Start the
// Start of a program.Subject: worlds, explorers and stories need not know where
// the code is. The process at the other end (serve.go) is told what a client
// observes and says what it wants then. Between them go two streams of gob, one
// question and one answer at a time (wire.go).
//
// A client whose process has ended is told all it knew again, in another one.
package remote
