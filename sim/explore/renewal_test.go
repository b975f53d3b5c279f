package explore

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// TestRenewal: of the catalogue, the two with a watchdog renew, each at a third of its lease
// as their code says; also where the lease is another. Nothing else does.
func TestRenewal(t *testing.T) {
	for _, id := range strategies.IDs() {
		for _, ttl := range []history.Millis{5000, 9000} {
			c := history.Default()
			c.Strategy, c.TTL = id, ttl
			want := Renewal{}
			if id == "watchdog-lua" || id == "watchdog-naive" {
				want = Renewal{Lease: ttl, Every: (ttl + 2) / 3} // rounded up to a millisecond
			}
			got := renewal(simtest.Subject(t, id), c)
			if got.Every == 0 {
				got.Lease, got.Nests = 0, false // nobody asks
			}
			if got != want {
				t.Errorf("%s with a TTL of %v: %+v, want %+v", id, ttl, got, want)
			}
		}
	}
}

// TestLongWork: a watchdog keeps the lease, and so does the library of ZooKeeper. What has
// neither promises nothing, even where it is broken without a fault: multi-setnx-expire is
// under contention.
func TestLongWork(t *testing.T) {
	for lock, want := range map[string]Verdict{
		"watchdog-lua": Holds, "watchdog-naive": Holds, "zk-ephemeral": Holds, "set-lua": Vacuous, "multi-setnx-expire": Vacuous, "setnx": Vacuous,
	} {
		cells := testkit.Must(Matrix(t.Context(), matrixLocks(t, lock), matrixHazards(t, "long-work"), Within(Bounds{Depth: 100}, "A", "B"), 1, nil, nil))(t)
		r := &cells[0]
		if v, why := r.Verdict(); v != want || r.Config.Work != 15*history.Second || (v == Vacuous) != (r.States == 0) {
			t.Errorf("%s: %s, %s, %d states with work of %v", lock, v, why, r.States, r.Config.Work)
		}
	}
}
