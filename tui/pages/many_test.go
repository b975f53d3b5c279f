package pages

import (
	"testing"

	"lockstep/scenarios"
)

// TestThirtyClients: with more clients than fit, the steps, the owner and who holds the
// lock are still there.
func TestThirtyClients(t *testing.T) {
	s, err := scenarios.Find("thirty_clients_one_node")
	if err != nil {
		t.Fatal(err)
	}
	m := start(t, Options{Story: s}, 120, 36)
	press(m, "G", "left", "left", "left", "left")
	wantIn(t, m, "exists /lock watch -> v0", "A                 holds it, at work", "ZooKeeper         A: its lock", "/lock = A")
}
