package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
)

// TestLargerInterrupted: after an interrupt the verdict of the usual world is kept, and no
// larger one is begun.
func TestLargerInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	a := newApp(strings.NewReader(""), &stdout, &stdout)
	tr := a.transcript(ctx)
	subject := simtest.Subject(t, "set-lua")
	row := explore.NewRow(ctx, explore.Lock{ID: "set-lua", Subject: subject})
	defer row.Close()
	h, _ := explore.FindHazard("crash")
	q := explore.Within(explore.Bounds{Depth: 100}, "A", "B")(explore.Lock{ID: "set-lua", Subject: subject}, h)
	e := testkit.Must(tr.timed(ctx, row, nil, q, explore.Options{}))(t)
	cancel()
	if err := tr.grow(ctx, row, nil, q, explore.Options{}, e); err != nil || len(e.larger) > 0 {
		t.Errorf("%v, %d larger worlds", err, len(e.larger))
	}
	if decided := e.deciding(); decided.States != e.States || decided.Limit != "" {
		t.Errorf("%+v", decided)
	}
}
