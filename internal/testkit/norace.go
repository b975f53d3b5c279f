//go:build !race

package testkit

// Raced says that the race detector is on.
const Raced = false
