package program

import (
	"testing"

	"lockstep/sim"
)

// TestPool: a connection has the number of the strand that uses it, keeps its
// number while it has a WATCH or listens, and leaves it to no other if a request
// over it failed.
func TestPool(t *testing.T) {
	c := &Coroutine{}
	dial := func(node int) *conn {
		return &conn{program: c, Conn: NewConn(sim.Redis, "A", node, nil, nil)}
	}
	sends := func(to *conn, strand int, cmds ...string) int {
		var units []sim.Unit
		for _, cmd := range cmds {
			units = append(units, sim.Units([][]string{{cmd, "k"}})...)
		}
		c.pool.sends(to, strand, units)
		return to.id
	}
	x, y := dial(0), dial(0)
	if a, b := sends(x, 0, "GET"), sends(y, 1, "GET"); a == b {
		t.Error("two strands have one number")
	}
	if a, b := sends(x, 1, "GET"), sends(y, 1, "GET"); a != b {
		t.Error("the number of a strand depends on which connection was idle")
	}
	if a, b := sends(x, 0, "GET"), sends(dial(1), 0, "GET"); a == b {
		t.Error("two nodes have one number")
	}
	held := sends(x, 0, "WATCH")
	if sends(y, 0, "GET") == held || sends(x, 1, "GET") != held {
		t.Error("a connection with a WATCH has lost its number")
	}
	if sends(x, 1, "MULTI"); sends(y, 0, "GET") != held {
		t.Error("the number is not free after the transaction")
	}
	x.Answer(sim.Observation{Kind: sim.SawTimeOut})
	failed := x.id
	_ = x.Close()
	if sends(y, 1, "GET") == failed {
		t.Error("a request over a failed connection may still arrive under this number")
	}
	listens := dial(0)
	c.pool.sends(listens, 0, nil)
	own := listens.id
	if sends(y, 0, "GET") == own {
		t.Error("a connection that listens shares its number")
	}
	_ = listens.Close()
	if sends(y, 0, "GET") == own {
		t.Error("what was sent to a closed listener may still arrive under its number")
	}
}
