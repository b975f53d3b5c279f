package locktest

import (
	"os"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/bubble"
	"lockstep/sim/program"
)

// TestKept: what was found is played first while the lock is as it was, and does
// no harm when it has been mended.
func TestKept(t *testing.T) {
	t.Chdir(t.TempDir())
	o := defaults()
	o.hazards = []string{"overrun"}
	ctx := t.Context()
	var found *Found
	if err := o.all(within(t), "TestKept", "kept", withMistake(noToken), func(r *Report) error {
		for i := range r.Found {
			if r.Found[i].Invariant == "foreign-release" {
				found = &r.Found[i]
			}
		}
		return nil
	}); err != nil || found == nil {
		t.Fatal(err, found)
	}
	name, err := keep("TestKept", "overrun", found)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		wrong    mistake
		violated bool
	}{{noToken, true}, {none, false}} {
		scenarios.Admit("kept", program.Subject{New: withMistake(test.wrong).build, Nodes: 1, Start: bubble.Start})
		r, err := o.kept(ctx, "TestKept", "kept", "overrun")
		if err != nil || (r != nil) != test.violated {
			t.Errorf("%s: %v, %+v", test.wrong, err, r)
		}
		if r != nil && (r.Found[0].Token != found.Token || !strings.Contains(r.Reason, name) || len(r.Found[0].Transcript) == 0) {
			t.Errorf("%+v", r)
		}
	}
	for _, text := range []string{"", "ls1.nonsense\nforeign-release\n", found.Token + "\nno-invariant\n", strings.Repeat("x", maxKept+1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := o.kept(ctx, "TestKept", "kept", "overrun"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
