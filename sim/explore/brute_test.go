package explore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
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

// everyFault are the faults of nodes and messages, besides those of the
// hazards.
var everyFault = Bounds{
	Faults: slices.Concat(verbs(
		history.Down, history.Up, history.Slow, history.Fast, history.Restart, history.Wipe, history.Cut, history.Heal,
		history.Send, history.Arrive, history.LoseReply, history.Late, history.Crash, history.Cancel,
	), promotions, ofNodeClocks),
	Budget: 2, Ticks: 2, Anywhere: true,
}

// TestAgainstBrute compares the explorer with the replay of real worlds, state
// by state, to the end of small worlds, and in others as deep as feasible: for every lock and
// hazard; where node faults meet messages in transit; with goroutines of one process; and where a
// command contains a moment or a space.
func TestAgainstBrute(t *testing.T) {
	type row struct {
		Lock
		hazards     []Hazard
		whole, part int
	}
	var rows []row
	whole, part, every := testkit.Size(t, 40, 40), testkit.Size(t, 20, 20), testkit.Size(t, 200, 40)
	for n, info := range strategies.Catalogue() {
		r := row{lockOf(t, info.ID), rotated(t, n, 3, 3), whole, part}
		if info.ZooKeeper { // each replay starts a client of ZooKeeper, which takes long; zk-sequential covers the same lines
			if info.ID != "zk-sequential" && testkit.Size(t, 1, 1) == 1 {
				continue
			}
			r.hazards, r.whole, r.part = matrixHazards(t, "contention", "overrun", "lost-reply", "partition"), 40, 20
		}
		rows = append(rows, r)
		if slices.Contains([]string{"setnx", "set-lua", "watch-del", "redlock", "watchdog-lua"}, info.ID) {
			rows = append(rows, row{r.Lock, []Hazard{{ID: "everything", Bounds: everyFault, Set: lag}}, every, every})
		}
	}
	for name, l := range processes() {
		rows = append(rows, row{l, matrixHazards(t, testkit.Some(t, []string{"crash", "eviction", "overrun", "lost-reply", "hang", "partition", "contention", "late-request", "cancel"}, 4, 2)...), 3 * part, 3 * part})
		if name == "a mutex" { // whose request was abandoned first matters beyond 2,000 states
			rows = append(rows, row{l, matrixHazards(t, "late-request"), 15 * part, 15 * part})
		}
	}
	timely := matrixHazards(t, "contention")
	timely[0].Bounds.Ticks = 1
	rows = append(rows, row{Lock{"timed", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return timed{randomLock{Env: e}} }}}, timely, 2000, 2000})
	for _, r := range rows {
		t.Run(r.ID+" "+r.hazards[0].ID, func(t *testing.T) {
			t.Parallel()
			line := ""
			for _, h := range r.hazards {
				h = h.On(r.Subject)
				fast := againstBrute(t, r.Lock, h, r.whole, r.part)
				line += fmt.Sprintf(" %s %d states %s %d,", h.ID, fast.States, fast.Limit, fast.Bounds.Depth)
			}
			t.Log(line)
		})
	}
}

// timed is a lock with Unix times as deadlines and with spaces in its words: an execution serves
// all times unless a command contains a moment; and commands with different words differ even if
// they look alike when joined.
type timed struct{ randomLock }

func (p timed) Lock(ctx context.Context) (strategies.Grant, error) {
	_ = p.Redis.Do(ctx, "EVAL", "return #ARGV", 1, p.Key, "a b").Err()
	n, _ := p.Redis.Do(ctx, "EVAL", "return #ARGV", 1, p.Key, "a", "b").Int()
	at := p.Clock.Now().Add(p.TTL).UnixMilli()
	if err := p.Redis.Do(ctx, "SET", p.Key, p.Token(), "NX", "PXAT", at).Err(); err != nil || n != 2 {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, nil
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
	if h.Bounds.Depth = r.Bounds.Depth; h.Bounds.Depth == 0 {
		t.Fatalf("%s, %s: no step fits into %d states", l.ID, h.ID, part)
	}
	return r
}

// againstBrute explores, and compares with the replay.
func againstBrute(t *testing.T, l Lock, h Hazard, whole, part int) Report {
	t.Helper()
	fast := upTo(t, l, &h, whole, part)
	slow, err := bruteForce(h.Config(l, "A", "B"), l.Subject, h.Bounds)
	if err != nil {
		t.Fatal(l.ID, h.ID, err)
	}
	sameAsBrute(t, l, h, fast, slow)
	return fast
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
