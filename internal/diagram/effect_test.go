package diagram

import (
	"strings"
	"testing"

	"lockstep/sim/history"
	"lockstep/sim/zookeeper"
)

// TestRequestsThatRead holds the arrows' heads to what ZooKeeper says of its requests: one
// that reads, and a connect, are not drawn as refused.
func TestRequestsThatRead(t *testing.T) {
	ops := []zookeeper.Op{zookeeper.Connect} // which has no number among the others
	for op := range zookeeper.Op(200) {
		ops = append(ops, op)
	}
	for _, op := range ops {
		if name := op.String(); !strings.HasPrefix(name, "op ") {
			want := Nothing
			if op.Reads() || op == zookeeper.Connect {
				want = Looks
			}
			if got := effectOf(&history.Event{Kind: history.Apply, Cmds: [][]string{{name}}}); got != want && name != "multi" {
				t.Errorf("%s that changes nothing is drawn as %v, want %v", name, got, want)
			}
		}
	}
}
