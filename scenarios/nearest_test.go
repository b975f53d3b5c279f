package scenarios

import (
	"slices"
	"strings"
	"testing"

	"lockstep/sim/history"
)

// TestNearest plays, for each invariant, a run that just keeps it and one that just
// violates it. They differ in one step, the one that the sentence of the invariant is
// about.
func TestNearest(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range []struct{ invariant, about, world, kept, violated string }{
		{history.MutualExclusion, "live", "strategy=set-del clients=A,B",
			"run A until=in-critical; crash A; advance expiry; run B until=in-critical",
			"run A until=in-critical; advance expiry; run B until=in-critical"},
		{history.MutualExclusion, "inside", "strategy=set-del clients=A,B",
			"run A until=after:leave; advance expiry; run B until=in-critical",
			"run A until=before:write; advance expiry; run B until=in-critical"},
		{history.ForeignRelease, "of another", "strategy=set-del clients=A,B",
			"run A until=after:leave; advance expiry; run A",
			"run A until=after:leave; advance expiry; run B until=in-critical; run A"},
		{history.ForeignRelease, "live", "strategy=set-del clients=A,B",
			"run A until=after:leave; advance expiry; run B until=in-critical; crash B; run A",
			"run A until=after:leave; advance expiry; run B until=in-critical; run A"},
		{history.ForeignRenewal, "live", "strategy=multi-setnx-expire clients=A,B",
			"run A until=in-critical; crash A; advance 1s; run B",
			"run A until=in-critical; advance 1s; run B"},
		{history.ForeignRenewal, "the deadline", "strategy=multi-setnx-expire clients=A,B",
			"run A until=in-critical; run B",
			"run A until=in-critical; advance 1s; run B"},
		{history.EqualTokens, "have drawn the same", "strategy=weak-token clients=A,B",
			"run A until=after:leave; advance expiry; run B until=in-critical; run A",
			"run B until=before:SET; run A until=after:leave; advance expiry; run B until=in-critical; run A"},
		{history.OverwrittenLease, "has changed", "strategy=multi-setnx-expire clients=A,B",
			"run A until=in-critical; run B",
			"run A until=in-critical; advance 1s; run B"},
		{history.PhantomHold, "until the release begins", "strategy=get-then-del clients=A,B",
			"run A until=after:leave; run A until=after:GET; advance expiry",
			"run A until=before:write; advance expiry"},
		{history.LockRecovers, "acquires", "strategy=setnx-expire clients=A,B",
			"run A until=after:EXPIRE; crash A; check",
			"run A until=before:EXPIRE; crash A; check"},
		{history.LostWakeup, "nobody will send", "strategy=pubsub-wakeup clients=A,B",
			"run A until=in-critical; run B until=before:receive; check",
			"run A until=in-critical; run B until=before:SUBSCRIBE; run A; run B; check"},
		{history.SelfDeadlock, "owns", "strategy=set-lua clients=A,B wait=8s poll=3s",
			"run A until=before:SET; lose reply A; advance expiry; run A",
			"run A until=before:SET; lose reply A; run A"},
		{history.StaleWrite, "has served a client that acquired later", "strategy=set-lua clients=A,B",
			"run A until=before:write; advance expiry; run A",
			"run A until=before:write; advance expiry; run B until=before:write; run A"},
		{history.StaleWrite, "does not own the lock", "strategy=set-lua clients=A,B",
			"run A until=before:write; run B; run A",
			"run A until=before:write; advance expiry; run B; run A"},
		{history.LostUpdate, "computed from the value that it replaces", "strategy=set-lua clients=A,B stock=2",
			"run A until=before:read; advance expiry; run B; run A",
			"run A until=before:write; advance expiry; run B; run A"},
		{history.Leak, "does not own the key", "strategy=reentrant-hash clients=A,B wait=6s poll=3s",
			"run A",
			"run A until=after:EVALSHA; lose reply A; run A"},
	} {
		tried[c.invariant] = true
		for commands, want := range map[string]bool{c.kept: false, c.violated: true} {
			if got := violatesStory(t, c.world, commands, c.invariant); got != want {
				t.Errorf("%s, %q: violated by %q: %t", c.invariant, c.about, commands, got)
			}
		}
	}
	for _, id := range history.Invariants() {
		if !tried[id] && id != history.Panics && id != history.BlockedForever { // which no lock of the catalogue does
			t.Errorf("%s has no pair", id)
		}
	}
}

// violatesStory plays commands, which semicolons part.
func violatesStory(t *testing.T, world, commands, invariant string) bool {
	t.Helper()
	text := "world " + world + "\n----\n\n"
	for _, c := range strings.Split(commands, "; ") {
		text += c + "\n----\n\n"
	}
	s, err := Parse("nearest.txt", "nearest", text)
	if err != nil {
		t.Fatalf("%s: %v", commands, err)
	}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatalf("%s: %v", commands, err)
	}
	if slices.ContainsFunc(r.Beats, func(b Beat) bool { return b.Missed || b.Skipped }) {
		t.Errorf("%s: a moment did not come", commands)
	}
	return slices.ContainsFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == invariant })
}
