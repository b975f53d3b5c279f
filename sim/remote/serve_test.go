package remote

import (
	"bytes"
	"encoding/gob"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/program"
)

// TestOtherVersion: a program of another version, which numbers its questions otherwise, is
// told so, where it would wait for an answer.
func TestOtherVersion(t *testing.T) {
	var in, out bytes.Buffer
	testkit.OK(t, gob.NewEncoder(&in).Encode(&question{Ask: forEnd}))
	testkit.OK(t, Serve(&in, &out, program.Subject{}, nil, program.Traits{}, false))
	var a answer
	if err := gob.NewDecoder(&out).Decode(&a); err != nil || !strings.Contains(a.Wrong, "different versions") {
		t.Errorf("%q, %v", a.Wrong, err)
	}
}
