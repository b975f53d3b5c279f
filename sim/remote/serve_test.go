package remote

import (
	"bytes"
	"encoding/gob"
	"strings"
	"testing"

	"lockstep/sim/program"
)

// TestOtherVersion: a program of another version, which numbers its questions otherwise, is
// told so, where it would wait for an answer.
func TestOtherVersion(t *testing.T) {
	var in, out bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(&question{Ask: forEnd}); err != nil {
		t.Fatal(err)
	}
	if err := Serve(&in, &out, program.Subject{}, nil, program.Traits{}, false); err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := gob.NewDecoder(&out).Decode(&a); err != nil || !strings.Contains(a.Wrong, "different versions") {
		t.Errorf("%q, %v", a.Wrong, err)
	}
}
