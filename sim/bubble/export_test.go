package bubble

import "testing"

// CheckQuiet lets all runs check, until the test ends, that they are quiet where
// they say so.
func CheckQuiet(t *testing.T) {
	checksQuiet = true
	t.Cleanup(func() { checksQuiet = false })
}

// Suspicion is suspicion.
const Suspicion = suspicion
