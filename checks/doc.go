// Package checks finds the locks that the tests of a Go package put under test by
// locktest.Check, so that a program other than go test can do with them what it
// does with the locks of the catalogue. It compiles the tests into a folder of its
// own, asks each for its Checks, and has their locks run in a process of theirs.
package checks
