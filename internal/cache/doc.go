// Package cache keeps verdicts between runs of the program, so that nothing is computed
// twice.
//
// A Store (store.go) is a folder of small files, named by the hash of all that their
// content depends on. It is like that of Go's build cache, but bounded in bytes, and
// reads no more than it is told to. Nothing depends on it: what cannot be written is
// not kept, and what cannot be read was never there.
//
// Verdicts (verdicts.go) are the reports of explorations in such a store. The key has
// the code, the configuration and the bounds. A counterexample is played again before
// it is believed; a proof says since when it is known.
//
// It knows nothing of how the code of a lock that is not Lockstep's is told from
// another: see trial.Suite.Identity.
package cache
