//go:build race

package testkit

// Raced says that the race detector is on: everything takes ten times as long,
// and what is new to it shows in a part as well.
const Raced = true
