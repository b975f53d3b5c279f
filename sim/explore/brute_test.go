package explore

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/strategies"
)

// costs returns the found invariants with their numbers of steps and faults.
func costs(r Report) string {
	text := lengths(r)
	for i := range r.Found {
		text += " " + string(rune('0'+r.Faults(&r.Found[i])))
	}
	return text
}

// TestAgainstBrute compares the explorer with the replay of real worlds, state
// by state, for every lock and hazard: to the end of small worlds, and in
// others as deep as feasible.
func TestAgainstBrute(t *testing.T) {
	whole, part := testkit.Size(t, 40, 20), testkit.Size(t, 20, 10)
	for _, info := range strategies.Catalogue() {
		t.Run(info.ID, func(t *testing.T) {
			t.Parallel()
			line, hazards, whole, part := "", testkit.Some(t, Hazards(), len(Hazards()), 4), whole, part
			if info.ZooKeeper { // each replay starts a client of ZooKeeper, which takes long
				hazards = slices.DeleteFunc(Hazards(), func(h Hazard) bool {
					return !slices.Contains([]string{"contention", "overrun", "lost-reply", "partition"}, h.ID)
				})
				whole, part = 40, 20
				if info.ID != "zk-sequential" {
					testkit.Long(t, "each replay starts a client of ZooKeeper; zk-sequential covers the same lines")
				}
			}
			for _, h := range hazards {
				h = h.On(lockOf(t, info.ID).Subject)
				fast := upTo(t, lockOf(t, info.ID), &h, whole, part)
				againstBrute(t, lockOf(t, info.ID), h, fast)
				line += fmt.Sprintf(" %s %d states", h.ID, fast.States)
				if fast.Limit != "" {
					line += fmt.Sprintf(" to depth %d", h.Bounds.Depth)
				}
			}
			t.Log(line)
		})
	}
}

// upTo explores a world of at most whole states to the end, and a larger one to
// the depth that has at most part states. It sets that depth.
func upTo(t *testing.T, l Lock, h *Hazard, whole, part int) Report {
	t.Helper()
	p := model.New(t.Context(), h.Config(l, "A", "B"), l.Subject, true)
	defer p.Close()
	run := func(states, depth int) Report {
		b := h.Bounds
		b.States, b.Depth = states, depth
		r, err := explore(t.Context(), p, b, Options{})
		if err != nil {
			t.Fatal(l.ID, h.ID, err)
		}
		r.Hazard = h.ID
		return r
	}
	if r := run(whole, 0); r.Limit == "" {
		return r
	}
	var r Report
	for low, high := 0, 60; low < high; { // low fits
		middle := (low + high + 1) / 2
		if deep := run(part, middle); deep.Limit == "states" {
			high = middle - 1
		} else {
			low, r = middle, deep
		}
	}
	h.Bounds.Depth = r.Bounds.Depth
	return r
}

func againstBrute(t *testing.T, l Lock, h Hazard, fast Report) {
	t.Helper()
	slow, err := bruteForce(h.Config(l, "A", "B"), l.Subject, h.Bounds)
	if err != nil {
		t.Fatal(l.ID, h.ID, err)
	}
	sameAsBrute(t, l, h, fast, slow)
}

// sameAsBrute compares the reports of the explorer and of the replay.
func sameAsBrute(t *testing.T, l Lock, h Hazard, fast, slow Report) {
	t.Helper()
	slow.Config, slow.Bounds = fast.Config, h.Bounds
	slow.Found = slices.DeleteFunc(slow.Found, func(f Found) bool {
		// A cut exploration decides lock-recovers after faults only, not where
		// it was cut. That is no verdict.
		return fast.Limit != "" && f.Violation.Invariant == history.LockRecovers && !found(&fast, history.LockRecovers)
	})
	if costs(fast) != costs(slow) {
		t.Errorf("%s, %s, depth %d: found%s; the replay found%s", l.ID, h.ID, h.Bounds.Depth, costs(fast), costs(slow))
	}
	if slow.Server = fast.Server; l.Subject.KeepsTime() {
		slow.Counts.Clocks = fast.Counts.Clocks // a program with its own clock reads it unseen
	}
	if slow.Hazard = fast.Hazard; fast.Limit == "" {
		fastSays, fastWhy := fast.Verdict()
		if slowSays, slowWhy := slow.Verdict(); fastSays != slowSays || fastWhy.String() != slowWhy.String() {
			t.Errorf("%s, %s: %s (%s); the replay says %s (%s)", l.ID, h.ID, fastSays, fastWhy, slowSays, slowWhy)
		}
	}
	if slices.Contains([]string{"watch-del", "watchdog-naive"}, l.ID) {
		// World.Canonical distinguishes more than necessary for a WATCH.
		if fast.States > slow.States {
			t.Errorf("%s, %s: %d states; the replay has %d", l.ID, h.ID, fast.States, slow.States)
		}
		return
	}
	if fast.States != slow.States || fast.Transitions != slow.Transitions || fast.Limit != slow.Limit || fast.Limit == "" && fast.Depth != slow.Depth {
		t.Errorf("%s, %s, depth %d: %d states, %d transitions, depth %d, limit %q; the replay has %d, %d, %d, %q", l.ID, h.ID,
			h.Bounds.Depth, fast.States, fast.Transitions, fast.Depth, fast.Limit, slow.States, slow.Transitions, slow.Depth, slow.Limit)
	}
	if !reflect.DeepEqual(fast.Counts, slow.Counts) {
		t.Errorf("%s, %s, depth %d: counts %+v; the replay has %+v", l.ID, h.ID, h.Bounds.Depth, fast.Counts, slow.Counts)
	}
}

// found reports whether a report has a counterexample for an invariant.
func found(r *Report, invariant string) bool {
	return slices.ContainsFunc(r.Found, func(f Found) bool { return f.Violation.Invariant == invariant })
}
