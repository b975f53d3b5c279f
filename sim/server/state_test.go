package server

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
)

// probes are commands whose replies depend on the state: values, TTLs,
// existence, loaded scripts, dirty WATCHes.
var probes = [][][]string{
	{{"GET", "k"}}, {{"PTTL", "k"}}, {{"TYPE", "k"}}, {{"STRLEN", "k"}}, {{"EXISTS", "k", "h", "n"}},
	{{"LRANGE", "l", "0", "-1"}}, {{"SMEMBERS", "s"}}, {{"PTTL", "l"}},
	{{"HGETALL", "h"}}, {{"PTTL", "h"}}, {{"GET", "h"}}, {{"GET", "n"}}, {{"TTL", "n"}},
	{{"SETNX", "k", "probe"}}, {{"INCR", "n"}}, {{"DELEX", "k", "IFEQ", "a"}},
	{{"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"}}, // return 1
	{{"MULTI"}, {"GET", "k"}, {"EXEC"}},
}

// changes are commands that change a state.
var changes = [][][]string{
	{{"SET", "k", "a", "NX", "PX", "50"}}, {{"SET", "k", "\xff\r\n"}}, {{"SET", "k", "", "EX", "1"}}, {{"SETNX", "k", "b"}},
	{{"DEL", "k"}}, {{"PEXPIRE", "k", "30"}}, {{"PERSIST", "k"}}, {{"GETSET", "k", "a"}}, {{"INCR", "n"}}, {{"EXPIRE", "n", "1"}},
	{{"HINCRBY", "h", "f", "2"}}, {{"HDEL", "h", "f"}}, {{"HSET", "h", "g", "x"}}, {{"PEXPIRE", "h", "40"}},
	{{"LPUSH", "l", "a", "b"}}, {{"LREM", "l", "0", "a"}}, {{"SADD", "s", "b", "a"}}, {{"SREM", "s", "a", "b"}}, {{"EXPIRE", "l", "1"}},
	{{"EVAL", "return redis.call('SET', KEYS[1], ARGV[1], 'PX', 20)", "1", "k", "c"}},
	{{"EVAL", "return 1", "0"}}, {{"MULTI"}, {"SETNX", "k", "b"}, {"EXPIRE", "k", "1"}, {"EXEC"}},
	{{"WATCH", "k"}}, {{"WATCH", "n", "k"}}, {{"UNWATCH"}}, {{"MULTI"}, {"SET", "k", "w"}, {"EXEC"}},
}

// clockFaults are faults of a node's clock.
var clockFaults = []history.Action{
	{Verb: history.Jump, Node: "r1", By: 13}, {Verb: history.Jump, Node: "r1", By: -13}, {Verb: history.Rate, Node: "r1", By: 250},
	{Verb: history.Rate, Node: "r1", By: 999}, {Verb: history.Rate, Node: "r1", By: 3700}, {Verb: history.Rate, Node: "r1", By: 1000},
}

// TestAStoredStateAnswersAlike runs the same commands and times on a running
// node and on a state that is loaded and stored at every command. Then it
// compares all probes and replicas, which show anything that a state does not
// store.
func TestAStoredStateAnswersAlike(t *testing.T) {
	for seed := range uint64(testkit.Size(t, 50, 15)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		live, err := NewEmbedded("r1", 0)
		if err != nil {
			t.Fatal(err)
		}
		live.lag = 2
		stored := NodeState{Lag: live.lag}
		now := history.Millis(0)
		var done []string
		both := func(conn string, unit [][]string) {
			done = append(done, fmt.Sprint(now, conn, unit))
			want := live.executeAll(conn, []sim.Unit{{Cmds: unit}})
			after, got, err := stored.Execute("r1", conn, []sim.Unit{{Cmds: unit}}, now)
			if err != nil {
				t.Fatal(err)
			}
			if stored = after; string(got[0].Raw) != string(want[0].Raw) || !reflect.DeepEqual(got[0].Changes, want[0].Changes) {
				t.Fatalf("%q\nlive   %+v\nstored %+v", done, want, got)
			}
			if has, want := fmt.Sprint(stored.Behind), fmt.Sprint(live.behind); has != want {
				t.Fatalf("%q\nthe replica of the live   has %s\nthe replica of the stored has %s", done, want, has)
			}
		}
		for range 12 {
			both([]string{"A.", "B."}[rng.IntN(2)], changes[rng.IntN(len(changes))])
			if rng.IntN(3) == 0 {
				now += []history.Millis{1, 19, 20, 21, 30, 50, 1001}[rng.IntN(7)]
				gone := pass(t, live, now)
				after, expired := stored.Expire(now)
				if stored = after; !slices.EqualFunc(gone, expired, func(a, b history.Change) bool { return a.Key == b.Key && *a.Before == *b.Before }) {
					t.Fatalf("%q, at %v: of the live %+v expired, of the stored %+v", done, now, gone, expired)
				}
			}
			if rng.IntN(4) == 0 {
				turn := clockFaults[rng.IntN(len(clockFaults))]
				done = append(done, turn.String())
				_, want, err := live.Fault(0, turn, now)
				after, got := stored.Fault(turn, now)
				if stored = after; err != nil || !slices.EqualFunc(got.Changes, want.Changes, func(a, b history.Change) bool { return reflect.DeepEqual(a, b) }) {
					t.Fatalf("%q, at %v: of the live %+v changed, of the stored %+v", done, now, want, got)
				}
			}
		}
		for _, conn := range []string{"A.", "B."} {
			for _, probe := range probes {
				both(conn, probe)
			}
		}
		live.mini.Close()
	}
}

// TestAJumpTurnsOneClock: a replica keeps its deadlines.
func TestAJumpTurnsOneClock(t *testing.T) {
	until := func(deadline history.Millis) []StoredKey {
		return []StoredKey{{Key: "k", Raw: "v", State: history.KeyState{Type: "string", Value: "v", Deadline: deadline}}}
	}
	s := NodeState{Keys: until(50), Lag: 1, Behind: []NodeState{{Keys: until(50)}}}
	for by, want := range map[history.Millis][]StoredKey{60: {}, -60: until(110)} {
		after, _ := s.Fault(history.Action{Verb: history.Jump, By: by}, 0)
		if !reflect.DeepEqual(after.Keys, want) {
			t.Errorf("after a jump by %v it has %+v", by, after.Keys)
		}
		if !reflect.DeepEqual(after.Behind, s.Behind) {
			t.Errorf("after a jump by %v its replica has %+v", by, after.Behind)
		}
	}
}

// TestAppendAll: all that can change a reply is in the text of a state.
func TestAppendAll(t *testing.T) {
	s := full()
	s.Keys[1].Parts, s.Watches[0].Unread = []string{"p"}, []Unread{{"+2\r\n", "2"}}
	testkit.KeyOfAll(t, s, func(s NodeState) string { return string(s.Append(nil)) }, map[string]string{
		".Lag": "it is constant", ".Behind[].Lag": "it is constant", ".Watches[].Unread[].Text": "only events show it",
		".Keys[].State.Value": "it is made of Raw or Parts", ".Behind[].Keys[].State.Value": "it is made of Raw or Parts",
		"len .Watches[0].Channels": "it has never listened", "len .Watches[0].Patterns": "it has never listened",
	})
}
