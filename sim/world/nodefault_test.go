package world_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// errorsOf is a lock that sends commands in turn and then returns their errors.
// A command begins with the number of its node.
func errorsOf(commands ...string) program.Subject {
	s := script(func(ctx context.Context, e strategies.Env) error {
		var errs []string
		for _, text := range commands {
			words := strings.Fields(text)
			args := make([]any, len(words)-1)
			for i, word := range words[1:] {
				args[i] = word
			}
			err := e.Nodes[words[0][0]-'1'].Do(ctx, args...).Err()
			errs = append(errs, fmt.Sprint(err))
		}
		return fmt.Errorf("%s", strings.Join(errs, "; "))
	})
	s.Nodes = 2
	return s
}

// failure returns the error of the first client's operation.
func failure(w *world.World) string {
	for _, e := range w.History().Events {
		if e.Kind == history.Fail || e.Kind == history.Unknown {
			return e.Text
		}
	}
	return ""
}

func keysOf(w *world.World) (out []string) {
	for _, k := range w.Keys() {
		out = append(out, fmt.Sprintf("%s %s=%s %d", k.Node, k.Key, k.State.Value, k.State.Deadline))
	}
	return out
}

// TestNodeFaults plays schedules with node faults, and checks the client's
// errors and the final keys.
func TestNodeFaults(t *testing.T) {
	set := []string{"1 SET k v PX 5000", "1 SET l w", "1 GET k"}
	for _, test := range []struct {
		name, config string
		commands     []string
		schedule     string
		errors       string
		keys         []string
	}{
		{"restart keeps the data", "", set, "A*3 r1.restart A", "<nil>; <nil>; <nil>", []string{"r1 k=v 5000", "r1 l=w 0"}},
		{"wipe does not", "", set, "A*3 r1.wipe A", "<nil>; <nil>; redis: nil", nil},
		{"a request under way is cut short", "", set, "A A.send r1.restart A*3", "EOF; <nil>; redis: nil", []string{"r1 l=w 0"}},
		{"so is a reply", "", set, "A A.apply r1.restart A*3", "EOF; <nil>; <nil>", []string{"r1 k=v 5000", "r1 l=w 0"}},
		{"a node that is down refuses", "", set, "A*2 r1.down A r1.up A", "<nil>; dial tcp r1: connect: connection refused; <nil>", []string{"r1 k=v 5000"}},
		{"the other node lives", "", []string{"2 SET k v"}, "A r1.down A", "<nil>", []string{"r2 k=v 0"}},
		{"leases end while a node is down", "", set, "A*2 r1.down +5001 r1.up A*2", "<nil>; <nil>; redis: nil", []string{"r1 l=w 0"}},
		{"a slow node's reply comes too late", "", set, "A r1.slow A +1000 A A.late r1.fast A*2",
			"i/o timeout; <nil>; <nil>", []string{"r1 k=v 6000", "r1 l=w 0"}},
		{"a cut loses requests", "", set, "A A.cut:r1 A +1000 A A.heal:r1 A*2", "i/o timeout; <nil>; redis: nil", []string{"r1 l=w 0"}},
		{"a cut loses what is on its way", "", set, "A A.apply A.cut:r1 +1000 A A.heal:r1 A*2", "i/o timeout; <nil>; <nil>", []string{"r1 k=v 5000", "r1 l=w 0"}},
		{"the other client gets through", "", set, "B.cut:r1 A*4", "<nil>; <nil>; <nil>", []string{"r1 k=v 5000", "r1 l=w 0"}},
		{"a clock jumps ahead", "", set, "A*3 r1.jump+4999 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 1", "r1 l=w 0"}},
		{"by the lease, and it is there still", "", set, "A*3 +1 r1.jump+4999 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 1", "r1 l=w 0"}},
		{"further, and it is gone", "", set, "A*3 r1.jump+5001 A", "<nil>; <nil>; redis: nil", []string{"r1 l=w 0"}},
		{"a clock jumps back", "", set, "A*3 r1.jump-1000 +5500 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 6000", "r1 l=w 0"}},
		{"a replica misses the last write", "lag=2", set, "A*3 r1.promote+1 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 5000"}},
		{"what comes back knows the time", "", []string{"1 SET k v", "1 SET k w PX 5000", "1 GET k"}, "A*2 r1.wipe +6000 A*2", "<nil>; <nil>; <nil>", []string{"r1 k=w 11000"}},
		{"a replica takes over from a node that is down", "lag=1", set, "A*3 r1.down r1.promote+1 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 5000"}},
		{"or the last two", "lag=2", set, "A*3 r1.promote+2 A", "<nil>; <nil>; redis: nil", nil},
		{"whose clock is another", "lag=1", set, "A*3 r1.jump+5001 r1.promote+1 A", "<nil>; <nil>; <nil>", []string{"r1 k=v 5000"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := worldOf(t, test.config, errorsOf(test.commands...))
			play(t, w, test.schedule)
			if got := failure(w); got != test.errors {
				t.Errorf("told %q, not %q\n%s", got, test.errors, transcript(w))
			}
			wantEqual(t, keysOf(w), test.keys)
		})
	}
}

// TestAPromotedReplicaKnowsItsOwner: a lock that a promotion restores has its
// owner.
func TestAPromotedReplicaKnowsItsOwner(t *testing.T) {
	w := worldOf(t, "lag=2 rounds=2 work=0s", subject(t, "set-del"))
	play(t, w, "A*7 B*2 r1.promote+2") // the replica misses A's DEL and B's SET
	m := history.NewMonitor(w.History().Config, 1)
	for _, e := range w.History().Events {
		m.Observe(e)
	}
	if got := m.Owner("r1"); got != "A" {
		t.Errorf("%q owns the key\n%s", got, transcript(w))
	}
	if v := m.Violations(); len(v) != 1 || v[0].Invariant != history.PhantomHold || v[0].Client != "B" {
		t.Errorf("violations %+v", v)
	}
}
