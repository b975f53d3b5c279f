package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// crowded lets in whom it refuses as the second. Two clients with one round each are
// refused once.
func crowded(ctx context.Context, e strategies.Env) error {
	err := simtest.Take(ctx, e, e.Token())
	if err == nil {
		return nil
	}
	if n, asked := e.Redis.Incr(ctx, "refused").Result(); asked == nil && n == 2 {
		return nil
	}
	return err
}

// TestLargerWorldsBreakIt: what HOLDS in the usual world and not in a larger one.
func TestLargerWorldsBreakIt(t *testing.T) {
	scenarios.Register("crowded", simtest.Made(crowded))
	explored := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		a := newApp(strings.NewReader(""), &stdout, &stderr)
		a.guests = []string{"crowded"}
		code := a.run(t.Context(), append([]string{"explore", "crowded", "--hazard", "contention"}, args...))
		return code, stdout.String(), stderr.String()
	}
	code, text, _ := explored()
	for _, want := range []string{
		"\nVerdict: HOLDS\nLarger worlds: VIOLATED with 3 clients; ", "\nLarger world: contention with 3 clients\nVerdict: VIOLATED\n",
		"\nCounterexample: mutual-exclusion, 0 faults, ", " clients=A,B,C ", "; at most 15000 states",
	} {
		if code != exitOK || !strings.Contains(text, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, text)
		}
	}
	if code, _, stderr := explored("--fail-on-violation"); code != exitUnexpected || stderr != "lockstep: explore: 1 of 1 VIOLATED\n" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, story, stderr := explored("--story"); code != exitOK || !strings.Contains(story, "VIOLATED lost-update") {
		t.Errorf("exit code %d, story\n%s%s", code, story, stderr)
	}

	_, text, _ = explored("--json")
	var row hazardRow
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		t.Fatal(err)
	}
	if row.Verdict != "HOLDS" || len(row.Found) > 0 || len(row.Larger) != 2 {
		t.Fatalf("%s", text)
	}
	three := row.Larger[0]
	if three.With != (enlargement{Clients: 3}) || row.Larger[1].With != (enlargement{Rounds: 2}) || three.Verdict != "VIOLATED" || three.Reproduced != replays ||
		!slices.ContainsFunc(three.Found, func(f foundRow) bool { return f.Invariant == history.MutualExclusion && f.Token != "" }) {
		t.Errorf("%+v", row.Larger)
	}

	for _, fixed := range []string{"--clients A,B", "--rounds 1", "--faults 1", "--ticks 4", "--states 1000", "--depth 100", "--exact", "--first"} {
		code, text, stderr := explored(append(strings.Fields(fixed), "--fail-on-violation")...)
		if code != exitOK || !strings.Contains(text, "Verdict: HOLDS\n") || strings.Contains(text, "Larger") {
			t.Errorf("%s: exit code %d\n%s%s", fixed, code, text, stderr)
		}
	}
}

// TestLargerInterrupted: after an interrupt the verdict of the usual world is kept, and no
// larger one is begun.
func TestLargerInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	a := newApp(strings.NewReader(""), &stdout, &stdout)
	tr := transcript{app: a, ctx: ctx, told: map[string]bool{}}
	subject := simtest.Subject(t, "set-lua")
	row := explore.NewRow(ctx, explore.Lock{ID: "set-lua", Subject: subject})
	defer row.Close()
	h, _ := explore.FindHazard("crash")
	q := explore.Within(explore.Bounds{Depth: 100}, "A", "B")(explore.Lock{ID: "set-lua", Subject: subject}, h)
	e, err := tr.timed(ctx, row, nil, q, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := tr.grow(ctx, row, nil, q, explore.Options{}, e); err != nil || len(e.larger) > 0 {
		t.Errorf("%v, %d larger worlds", err, len(e.larger))
	}
	if decided := e.deciding(); decided.States != e.States || decided.Limit != "" {
		t.Errorf("%+v", decided)
	}
}
