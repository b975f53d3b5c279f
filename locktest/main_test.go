package locktest

import (
	"os"
	"testing"
)

// TestMain keeps programs that tests start from waiting for a second before they
// end, as they do with the race detector.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
