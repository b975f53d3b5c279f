package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// TestSmallClass: a class that is killed, loses the network and is molested counts exactly.
func TestSmallClass(t *testing.T) {
	testkit.Long(t, "it builds the program and takes ten seconds; the tests of the workshop have its parts")
	var out bytes.Buffer
	if err := run(t.Context(), options{people: 20, steps: 6, away: 2 * time.Second, hostile: 200, held: 200, out: &out}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Logf("\n%s", &out)
	if strings.Count(out.String(), "counted exactly: [10 10]") != 2 {
		t.Errorf("%s", &out)
	}
}
