//go:build !race

package testkit

// Raced reports that the race detector is off.
const Raced = false
