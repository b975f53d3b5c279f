//go:build race

package testkit

// Raced reports that the race detector is on: everything takes ten times as long, so a
// part of each test has to do.
const Raced = true
