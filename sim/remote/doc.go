// Package remote runs the code of a lock in another process, so that a panic or
// an endless loop ends only that.
//
// A Host (host.go) is the lock, and Host.Start is the Start of a
// program.Subject: worlds, explorers and stories need not know where the code
// runs. The other process (serve.go) receives a client's observations and
// returns its wants. They exchange one question and one answer at a time as gob
// over two pipes (wire.go).
//
// If a process has ended, its clients repeat their observations in a new one.
package remote
