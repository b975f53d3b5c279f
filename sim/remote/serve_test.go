package remote

import (
	"bytes"
	"context"
	"encoding/gob"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// TestOtherVersion: a program of another version, which numbers its questions otherwise, is
// told so, where it would wait for an answer or take another one for it.
func TestOtherVersion(t *testing.T) {
	subject := program.Subject{Start: func(history.Config, program.Subject, string) program.Code { return silent{} }}
	for _, q := range []question{{Ask: forEnd}, {Ask: forWalk + 1}, {Ask: 2, Begin: &begin{Name: "A"}}, {Ask: 3, Begin: &begin{Name: "A"}}} {
		var in, out bytes.Buffer
		testkit.OK(t, gob.NewEncoder(&in).Encode(&q))
		testkit.OK(t, Serve(&in, &out, subject, nil, func() program.Traits { return program.Traits{} }, false))
		var a answer
		if err := gob.NewDecoder(&out).Decode(&a); err != nil || !strings.Contains(a.Wrong, "different versions") {
			t.Errorf("question %d: %q, %v", q.Ask, a.Wrong, err)
		}
	}
}

// silent is code that nothing is asked.
type silent struct{ program.Code }

func (silent) Within(context.Context) {}
func (silent) Show(func() int)        {}
func (silent) Close()                 {}
