package world_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// twoStrands is a lock that sets a key from its main strand and renews it from
// another, after a sleep.
func twoStrands() program.Subject {
	return script(func(ctx context.Context, e strategies.Env) error {
		e.Go("watchdog", func() {
			_ = e.Clock.Sleep(ctx, e.TTL/5)
			e.Redis.PExpire(ctx, "k", e.TTL)
		})
		return e.Redis.Set(ctx, "k", "v", e.TTL).Err()
	})
}

// ofClients are the actions on clients and their messages, and time.
var ofClients = []history.Action{
	{Verb: history.Step}, {Verb: history.Send}, {Verb: history.Arrive}, {Verb: history.LoseRequest}, {Verb: history.LoseReply},
	{Verb: history.Late}, {Verb: history.Cancel}, {Verb: history.Crash}, {Verb: history.Hang}, {Verb: history.Tick},
}

// TestWhatCanHappen lists the enabled actions, in order.
func TestWhatCanHappen(t *testing.T) {
	for schedule, want := range map[string]string{
		"":                 "A A.crash A.hang B B.crash B.hang",
		"A":                "A A.send A.apply A.lose-request A.lose-reply A.cancel A/1 A.crash A.hang B B.crash B.hang",
		"A A.send":         "A A.apply A.lose-request A.lose-reply A.cancel A/1 A.crash A.hang B B.crash B.hang tick",
		"A A.send +1000":   "A A.apply A.lose-request A.lose-reply A.cancel A/1 A.crash A.hang B B.crash B.hang",
		"A A/1 A.hang":     "A.cancel A.crash B B.crash B.hang tick",
		"A A.send A.crash": "A.late B B.crash B.hang",
		"A A.send A.hang":  "A.cancel A/1 A.crash B B.crash B.hang",
	} {
		w := worldOf(t, "", twoStrands())
		play(t, w, schedule)
		if got := history.Schedule(w.Enabled(ofClients...)).String(); got != want {
			t.Errorf("after %q: %s, not %s", schedule, got, want)
		}
	}
}

// TestWhatADriverSeesOfAStrand checks a strand's state, next step and deadline.
func TestWhatADriverSeesOfAStrand(t *testing.T) {
	for _, test := range []struct {
		schedule string
		want     []string
	}{
		{"A", []string{
			"0  fresh=false ended=false set [set] sent=false enabled=true waits=false 0s",
			"1 watchdog fresh=true ended=false start [] sent=false enabled=true waits=false 0s"}},
		{"A A.send A/1", []string{
			"0  fresh=false ended=false set [] sent=true enabled=true waits=true 1s",
			"1 watchdog fresh=false ended=false sleep [] sent=false enabled=false waits=true 1s"}},
		{"A A.send A.hang", []string{
			"0  fresh=false ended=false set [] sent=true enabled=false waits=false 0s",
			"1 watchdog fresh=true ended=false start [] sent=false enabled=true waits=false 0s"}},
		{"A A/1 +1000 A/1", []string{
			"0  fresh=false ended=false set [set] sent=false enabled=true waits=false 0s",
			"1 watchdog fresh=false ended=false pexpire [pexpire] sent=false enabled=true waits=false 0s"}},
		{"A A/1 +1000 A/1*2", []string{
			"0  fresh=false ended=false set [set] sent=false enabled=true waits=false 0s",
			"1 watchdog fresh=false ended=true pexpire [pexpire] sent=false enabled=false waits=false 0s"}},
	} {
		w := worldOf(t, "", twoStrands())
		play(t, w, test.schedule)
		var got []string
		for _, v := range w.Strands("A") {
			got = append(got, strings.ToLower(fmt.Sprintf("%d %s fresh=%t ended=%t %s %v sent=%t enabled=%t waits=%t %v", v.ID, v.Name, v.Unslept, v.Ended, v.Pending, v.Cmds, v.Sent, v.Enabled, v.Waits, v.Until)))
		}
		wantEqual(t, got, test.want)
	}
	w := worldOf(t, "", twoStrands())
	play(t, w, "B.crash")
	if w.Strands("Z") != nil || w.Alive("Z") || w.Alive("B") || !w.Alive("A") {
		t.Error("only A is alive, and Z is nobody")
	}
}

// TestTheNextKeyToGo: NextExpiry is the earliest of all nodes.
func TestTheNextKeyToGo(t *testing.T) {
	w := worldOf(t, "", errorsOf("1 SET k v PX 500", "2 SET k v PX 300", "1 SET l v PX 400"))
	for _, want := range []history.Millis{0, 501, 301, 301} {
		play(t, w, "A")
		if at, ok := w.NextExpiry(); at != want || ok != (want > 0) {
			t.Errorf("the next key goes at %v, %t, not %v", at, ok, want)
		}
	}
}

// TestWhatARestartEndsOnTheWay: a restart of a node, or a cut, ends the
// abandoned requests to it and no others.
func TestWhatARestartEndsOnTheWay(t *testing.T) {
	for _, test := range []struct{ schedule, late string }{
		{"A A.send +1000 A", "A"},
		{"A A.send +1000 A r1.restart", ""},
		{"A A.send A.crash r1.wipe", ""},
		{"A A.send A.crash r1.down", ""},
		{"A A.send A.crash r1.promote+1", ""},
		{"A A.send A.crash r2.restart", "A"},
		{"A A.send A.crash r1.slow r1.fast r1.jump+5", "A"},
		{"A A.send +1000 A A.cut:r1", ""},
		{"A A.send +1000 A A.cut:r2", "A"},
		{"A A.send B B.send A.cut:r1 B.crash A.crash", "B"},
		{"A A.send B B.send B.crash A.crash", "AB"},
	} {
		w := worldOf(t, "lag=1", errorsOf("1 SET k v", "1 GET k"))
		if strings.Contains(test.schedule, "promote") {
			play(t, w, "B*2") // a write that the replica can miss
		}
		play(t, w, test.schedule)
		got := ""
		for _, client := range []string{"A", "B"} {
			if w.Refusal(history.Action{Verb: history.Late, Client: client}).No() {
				got += client
			}
		}
		if got != test.late {
			t.Errorf("after %q late requests are on the way of %q, not %q", test.schedule, got, test.late)
		}
	}
}

// TestAWatchDoesNotOutliveItsNode: a restart between WATCH and EXEC breaks the
// connections to that node only; EXEC never runs without the WATCH.
func TestAWatchDoesNotOutliveItsNode(t *testing.T) {
	for fault, want := range map[string]string{"r1.restart": "EOF", "r2.restart": "<nil>", "r1.down r1.up": "EOF", "r1.wipe": "EOF", "r1.restart r1.restart": "EOF", "r1.jump-1000": "<nil>", "r1.slow r1.fast": "<nil>"} {
		s := script(func(ctx context.Context, e strategies.Env) error {
			return fmt.Errorf("%v", e.Redis.Watch(ctx, func(tx *redis.Tx) error {
				_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, "k", "v", 0).Err() })
				return err
			}, "k"))
		})
		s.Nodes = 2
		w := worldOf(t, "", s)
		play(t, w, "A*2 "+fault+" A")
		if got := failure(w); got != want {
			t.Errorf("%s: %q, not %q", fault, got, want)
		}
	}
}
