package explore

import (
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
)

// The catalogue's statements on each lock are claims here: under a hazard, the
// lock violates an invariant or does not. The following have no invariant or
// hazard, but a story or a test of the lock:
//
//   - setnx: an exception in the critical section. To Redis it is a crash.
//   - getset-timestamp: GET finds nothing. The lock is refused though it is
//     free: get_finds_nothing.
//   - set-del: the third client that enters beside the second. Mutual exclusion
//     is violated before: del_removes_the_next_holders_lock.
//   - watch-del: the vanished key. Code that panics is a client that died:
//     a_vanished_key_breaks_the_watch_release.
//   - weak-token: equal tokens (foreign-release also shows the gap between GET
//     and DEL) and a busy loop: two_clients_draw_the_same_id,
//     loosely_equal_ids, a_retry_without_a_pause.
//   - watchdog-naive: a hung worker whose lease is renewed forever. A hang
//     before EXPIRE is a shorter orphan, and no event informs the worker:
//     the_watchdog_of_a_hung_worker, nobody_tells_the_worker.
//   - redlock-naive: a TTL a thousand times too long, and keys left behind.
//     The next refused client deletes them, so that the lock recovers:
//     milliseconds_read_as_seconds, one_node_error_leaves_keys_behind. Drift:
//     the explored rates exceed what redlock allows for, and so show no
//     difference.
//   - reentrant-hash: "no phantom hold" is true while the lease lasts; under
//     overrun every lease has one. So it is claimed under reentry.
//   - optimistic-version: repeated work breaks nothing.
//   - zk-herd: one release wakes all who wait; no invariant counts them:
//     a_release_wakes_the_herd.

// A claim is that a lock violates an invariant under a hazard, or does not.
// more adds to the hazard's configuration and bounds.
type claim struct{ lock, hazard, more, invariant string }

// failures lists every failure in the catalogue that the explorer can reach.
var failures = []claim{
	{"setnx", "crash", "", history.LockRecovers},
	{"setnx", "lost-reply", "", history.LockRecovers},
	{"setnx-expire", "crash", "", history.LockRecovers},
	{"setnx-expire", "overrun", "", history.ForeignRelease},
	{"multi-setnx-expire", "contention", "", history.ForeignRenewal},
	{"multi-setnx-expire", "contention", "", history.OverwrittenLease},
	{"multi-setnx-expire", "crash", "", history.LockRecovers},
	{"getset-timestamp", "client-clock", "", history.MutualExclusion},
	{"set-lua", "client-clock", "", history.MutualExclusion}, // a slow clock makes its work slow
	{"watchdog-lua", "client-clock", "", history.MutualExclusion},
	{"getset-timestamp", "overrun", "clients=A,B,C depth=16", history.OverwrittenLease},
	{"getset-timestamp", "overrun", "", history.ForeignRelease},
	{"set-del", "overrun", "", history.ForeignRelease},
	{"set-del", "overrun", "", history.MutualExclusion},
	{"set-del", "late-request", "", history.ForeignRelease}, // no client is ever paused there
	{"get-then-del", "overrun", "", history.ForeignRelease},
	{"set-lua", "overrun", "", history.MutualExclusion},
	{"set-lua", "overrun", "", history.StaleWrite},
	{"set-lua", "lost-reply", "", history.SelfDeadlock},
	{"zk-blind", "contention", "", history.LockRecovers},
	{"zk-unprotected", "lost-reply", "", history.LockRecovers},
	{"zk-ephemeral", "overrun", "", history.ForeignRelease},
	{"zk-ephemeral", "lost-reply", "", history.LockRecovers},
	{"zk-lock", "lost-reply", "", history.LockRecovers},
	{"zk-sequential", "hang", "", history.LockRecovers},
	{"zk-sequential", "overrun", "", history.StaleWrite},
	{"pubsub-wakeup", "contention", "", history.LostWakeup},
	{"pubsub-wakeup", "crash", "", history.LostWakeup},
	{"pubsub-wakeup", "lost-push", "", history.LostWakeup},
	{"pubsub-wakeup", "overrun", "", history.MutualExclusion},
	{"pubsub-timed", "overrun", "", history.StaleWrite},
	{"pubsub-timed", "lost-reply", "", history.SelfDeadlock},
	{"list-semaphore", "crash", "", history.LockRecovers},
	{"list-semaphore", "lost-reply", "", history.LockRecovers},
	{"list-semaphore", "lost-push", "", history.LockRecovers},
	{"watch-del", "crash", "", history.LockRecovers},
	{"weak-token", "overrun", "", history.ForeignRelease},
	{"reentrant-counter", "overrun", "nest=2", history.PhantomHold},
	{"reentrant-counter", "overrun", "nest=2", history.MutualExclusion},
	{"reentrant-counter", "overrun", "nest=2", history.ForeignRelease},
	{"reentrant-leak", "contention", "", history.Leak},
	{"reentrant-misprint", "contention", "", history.MutualExclusion},
	{"reentrant-misprint", "contention", "", history.PhantomHold},
	{"watchdog-naive", "crash", "", history.LockRecovers},
	{"watchdog-naive", "overrun", "depth=14", history.ForeignRenewal},
	{"watchdog-naive", "overrun", "depth=14", history.StaleWrite},
	{"redlock-naive", "contention", "", history.ForeignRelease},
	{"redlock-naive", "contention", "clients=A,B,C depth=21", history.MutualExclusion},
	{"delex-ifeq", "overrun", "", history.MutualExclusion},
	{"set-get-idempotent", "overrun", "", history.MutualExclusion},
	{"reentrant-hash", "lost-reply", "", history.Leak},
	{"reentrant-hash", "overrun", "", history.MutualExclusion},
	{"watchdog-lua", "overrun", "depth=14", history.MutualExclusion},
	{"redlock", "overrun", "depth=15", history.MutualExclusion},
	{"fenced", "overrun", "", history.MutualExclusion},
	// Node faults. A node's lock is lost with it; one node that votes twice
	// breaks Redlock; a counter of fencing tokens is lost like any key.
	{"set-lua", "node-restart", "", history.MutualExclusion},
	{"set-lua", "node-clock", "", history.MutualExclusion},
	{"set-lua", "failover", "", history.MutualExclusion},
	{"fenced", "node-restart", "", history.StaleWrite},
	{"fenced", "failover", "", history.StaleWrite},
	{"setnx", "partition", "", history.LockRecovers},
	{"redlock", "node-restart", "depth=16", history.MutualExclusion},
	{"redlock", "node-clock", "depth=16", history.MutualExclusion},
	{"redlock", "failover", "depth=16", history.MutualExclusion},
	{"redlock-naive", "node-restart", "depth=16", history.MutualExclusion},
	{"redlock-naive", "failover", "depth=16", history.MutualExclusion},
}

// promises lists every promise of the catalogue, with its hazard.
var promises = []claim{
	{"zk-ephemeral", "contention", "", history.MutualExclusion},
	{"zk-ephemeral", "crash", "", history.LockRecovers},
	{"zk-sequential", "contention", "", history.LockRecovers},
	{"zk-sequential", "crash", "", history.LockRecovers},
	{"zk-sequential", "lost-reply", "", history.LockRecovers},
	{"zk-sequential", "lost-push", "", history.LockRecovers},
	{"zk-sequential", "partition", "", history.LockRecovers},
	{"zk-sequential-fenced", "overrun", "", history.StaleWrite},
	{"pubsub-timed", "contention", "", history.LostWakeup},
	{"pubsub-timed", "crash", "", history.LostWakeup},
	{"pubsub-timed", "lost-push", "", history.LostWakeup},
	{"list-semaphore", "contention", "", history.MutualExclusion},
	{"list-semaphore", "overrun", "", history.MutualExclusion},
	{"setnx-expire", "contention", "", history.LockRecovers}, // only a crash between the two commands
	{"set-del", "crash", "", history.LockRecovers},
	{"set-lua", "crash", "", history.LockRecovers},
	{"set-lua", "overrun", "", history.ForeignRelease},
	{"set-lua", "late-request", "", history.ForeignRelease},
	{"set-lua", "script-flush", "", history.ForeignRelease},
	{"set-lua", "contention", "", history.MutualExclusion},
	{"watch-del", "overrun", "", history.ForeignRelease},
	{"delex-ifeq", "overrun", "", history.ForeignRelease},
	{"delex-ifeq", "late-request", "", history.ForeignRelease},
	{"delex-ifeq", "crash", "", history.LockRecovers},
	{"reentrant-counter", "reentry", "", history.SelfDeadlock},
	{"set-get-idempotent", "lost-reply", "", history.SelfDeadlock},
	{"set-get-idempotent", "late-request", "", history.SelfDeadlock},
	{"set-get-idempotent", "overrun", "", history.ForeignRelease},
	{"reentrant-hash", "reentry", "", history.PhantomHold},
	{"reentrant-hash", "reentry", "", history.SelfDeadlock},
	{"reentrant-hash", "overrun", "nest=2", history.ForeignRelease},
	{"watchdog-lua", "overrun", "depth=14", history.ForeignRenewal}, // 13 break watchdog-naive; the whole world has millions of states
	{"watchdog-lua", "hang", "", history.LockRecovers},
	{"watchdog-lua", "crash", "", history.LockRecovers},
	{"redlock", "contention", "", history.ForeignRelease},
	{"redlock", "contention", "", history.MutualExclusion},
	{"redlock", "crash", "", history.LockRecovers},
	{"redlock", "overrun", "", history.ForeignRelease},
	{"redlock", "partition", "", history.MutualExclusion},
	{"redlock", "partition", "", history.LockRecovers},
	{"set-lua", "partition", "", history.MutualExclusion},
	{"fenced", "overrun", "", history.StaleWrite},
	{"fenced", "overrun", "", history.LostUpdate},
	{"fenced", "node-clock", "", history.StaleWrite}, // the counter has no TTL
	{"fenced", "partition", "", history.StaleWrite},
	{"optimistic-version", "contention", "", history.LostUpdate},
	{"optimistic-version", "overrun", "", history.LostUpdate},
	{"optimistic-version", "crash", "", history.LostUpdate},
}

// allStates exceeds the states of every claim.
const allStates = 200_000

// TestClaims explores the claims. Claims with more states than the size of the
// test need a larger size.
func TestClaims(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("takes minutes with the race detector, and .ci/run runs it without")
	}
	states := min(testkit.Size(t, 2_000, 2_000), allStates)
	left := 0
	explored := map[claim]Report{}
	for i, c := range append(failures[:len(failures):len(failures)], promises...) {
		world := c
		world.invariant = ""
		r, ok := explored[world]
		if !ok {
			r = c.explore(t, states)
			explored[world] = r
		}
		h, _ := FindHazard(c.hazard)
		h = h.On(simtest.Subject(t, c.lock))
		switch violated := found(&r, c.invariant); {
		case !violated && r.Limit == "states" && states < allStates:
			left++
		case i < len(failures) && !violated:
			t.Errorf("%v: not violated (limit %q):%s", c, r.Limit, lengths(r))
		case i >= len(failures) && violated:
			t.Errorf("%v: violated:%s", c, lengths(r))
		case i >= len(failures) && (r.Limit != "" && r.Limit != "depth" || !h.missing(&r.Counts).None()):
			t.Errorf("%v: limit %q; %s", c, r.Limit, h.missing(&r.Counts))
		}
	}
	if t.Logf("%d claims need more than %d states", left, states); left > len(failures)/2 {
		t.Error("that leaves too few")
	}
}

// larger are violations that the hazard's own bounds do not have, and larger ones do.
var larger = []claim{
	{"getset-timestamp", "overrun", "clients=A,B,C", history.OverwrittenLease},
	{"setnx-expire", "overrun", "clients=A,B,C", history.ForeignRenewal},
	{"set-del", "late-request", "clients=A,B,C", history.MutualExclusion},
	{"setnx-expire", "overrun", "rounds=2", history.ForeignRenewal},
	{"getset-timestamp", "overrun", "rounds=2", history.OverwrittenLease},
	{"set-lua", "partition", "rounds=2", history.SelfDeadlock},
	{"fenced", "partition", "rounds=2", history.SelfDeadlock},
	{"set-get-idempotent", "lost-reply", "rounds=2", history.SelfDeadlock},
	{"set-get-idempotent", "late-request", "rounds=2", history.SelfDeadlock},
	{"weak-token", "lost-reply", "rounds=2", history.SelfDeadlock},
	{"reentrant-hash", "partition", "rounds=2", history.Leak},
	{"reentrant-hash", "failover", "rounds=2", history.Leak},
	{"redlock-naive", "failover", "faults=2", history.Leak},
	{"setnx-expire", "failover", "faults=2", history.LockRecovers},
	{"watchdog-lua", "client-clock", "faults=2", history.LostUpdate},
}

// TestLarger: what docs/explorer.md says that larger worlds find, they find, and the
// usual ones do not.
func TestLarger(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("takes minutes with the race detector, and .ci/run runs it without")
	}
	for _, c := range testkit.Some(t, larger, 4, 2) {
		r, usual := c.explore(t, allStates), claim{c.lock, c.hazard, "", ""}.explore(t, allStates)
		if !found(&r, c.invariant) || found(&usual, c.invariant) || usual.Limit != "" {
			t.Errorf("%v: larger finds%s, usual%s %s", c, lengths(r), lengths(usual), usual.Limit)
		}
	}
}

func (c claim) explore(t *testing.T, states int) Report {
	t.Helper()
	h, ok := FindHazard(c.hazard)
	if !ok {
		t.Fatalf("no hazard %q", c.hazard)
	}
	h = h.On(simtest.Subject(t, c.lock))
	config := h.Config(lockOf(t, c.lock), "A", "B")
	for _, word := range strings.Fields(c.more) {
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "clients":
			config.Clients = strings.Split(value, ",")
		case "rounds":
			config.Rounds = n
		case "faults":
			h.Bounds.Budget = n
		case "nest":
			config.Nest = n
		case "depth":
			h.Bounds.Depth = n
		}
	}
	h.Bounds.States = states
	r, err := Explore(t.Context(), config, simtest.Subject(t, c.lock), h.Bounds, Options{})
	if err != nil {
		t.Fatal(c, err)
	}
	t.Logf("%v: %d states,%s %s", c, r.States, lengths(r), r.Limit)
	return r
}
