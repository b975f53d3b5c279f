package server

import (
	"crypto/sha1"
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim"
)

// TestEndedNodeLeavesNothing: a node on the server of another one finds neither its
// keys nor its scripts, its clock or its hook.
func TestEndedNodeLeavesNothing(t *testing.T) {
	const script = "return redis.call('SET', KEYS[1], 'x', 'PX', 1000)"
	hash := fmt.Sprintf("%x", sha1.Sum([]byte(script)))
	units := func(cmd ...string) []sim.Unit { return []sim.Unit{{Cmds: [][]string{cmd}}} }
	ask := func(n *engine, cmd ...string) string { return n.executeAll("A/0.", units(cmd...))[0].Reply }
	start := func() *engine {
		n := testkit.Must(NodeState{}.load("r1", 0))(t)
		return n
	}
	drain := func() {
		for idle.Get() != nil {
		}
	}
	replies := func(n *engine) (all []string) {
		for _, cmd := range [][]string{
			{"KEYS", "*"}, {"TIME"}, {"PUBLISH", "channel", "x"}, {"EVALSHA", hash, "1", "k"}, {"SCRIPT", "EXISTS", hash}, {"SET", "k", "y", "PX", "1000"},
			{"PTTL", "k"}, {"KEYS", "*"}, {"EVAL", script, "1", "k"}, {"GET", "k"}, {"INCR", "n"}, {"DBSIZE"},
		} {
			all = append(all, ask(n, cmd...))
		}
		return append(all, fmt.Sprint(n.Keys))
	}
	drain()
	fresh := start()
	want := replies(fresh)
	fresh.mini.SetTime(sim.Epoch().Add(time.Second))
	ask(fresh, "SUBSCRIBE", "channel")
	fresh.end()
	drain()
	idle.Put(&engine{mini: fresh.mini, scripts: fresh.scripts})
	again := start()
	if again.mini != fresh.mini {
		t.Skip("the pool drops some at random under the race detector")
	}
	if got := replies(again); !slices.Equal(got, want) {
		t.Errorf("a node on the server of another says\n%q, a new one\n%q", got, want)
	}
}
