// Package testkit says how much the tests of this module do. By themselves
// they are quick: each has its usual size, in runs, states, keys or worlds, and
// a smaller one under the race detector. LOCKSTEP_RUNS=10 makes both ten times
// as large, in every test that asks here, and nothing else reads it. What has
// an end of its own is then done to that end, and a test that is Long runs only
// then.
package testkit

import (
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// Tests create thousands of small worlds: a test binary collects garbage as rarely as
// the program does.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// most bounds LOCKSTEP_RUNS, far from an overflow.
const most = 1_000_000

// Size returns a test's size, times LOCKSTEP_RUNS. The test fails if that is not a
// whole number from 1 to a million.
func Size(t testing.TB, usual, raced int) int {
	t.Helper()
	if Raced {
		return raced * times(t)
	}
	return usual * times(t)
}

// Long skips a test unless LOCKSTEP_RUNS is more than 1. The reason is a sentence: what
// takes long, and which quick test covers the same lines.
func Long(t testing.TB, reason string) {
	t.Helper()
	if times(t) == 1 {
		t.Skipf("only with LOCKSTEP_RUNS=2 or more: %s", reason)
	}
}

// times returns LOCKSTEP_RUNS, and 1 if it is not set.
func times(t testing.TB) int {
	t.Helper()
	text := os.Getenv("LOCKSTEP_RUNS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		t.Fatalf("LOCKSTEP_RUNS=%q: how many times its usual size shall a test have? use 1 to %d", text, most)
	}
	return n
}

// Some returns a part of a list, as large as Size says, spread over the whole list, in
// order; all of it if it is not longer.
func Some[T any](t testing.TB, all []T, usual, raced int) []T {
	t.Helper()
	n := Size(t, usual, raced)
	if n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// Single skips a test with one active goroutine under the race detector, which has
// nothing to find there.
func Single(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("one goroutine only: run without -race")
	}
}
