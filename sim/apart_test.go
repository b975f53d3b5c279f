package sim

import (
	"testing"
	"time"

	"lockstep/sim/history"
)

// TestApart: of what two runs did, the first difference is told, in words.
func TestApart(t *testing.T) {
	invoke, refused := history.Event{Kind: history.Invoke, Op: "acquire"}, history.Event{Kind: history.Return, Op: "acquire", Outcome: "refused"}
	set := func(token string) Want {
		return Want{Saw: SawReply, Units: []Unit{{Cmds: [][]string{{"SET", "k", token}}, Shown: [][]string{{"SET", "k", token}}}}}
	}
	ended := Want{Name: "timer", Ended: true}
	waits := func(d time.Duration) Want { return Want{Sleeps: true, Wakes: Epoch().Add(d)} }
	for _, test := range []struct {
		did, didAgain     []history.Event
		wants, wantsAgain []Want
		once, again       string
	}{
		{[]history.Event{invoke}, []history.Event{invoke}, []Want{set("1"), ended}, []Want{set("2"), ended}, "SET k 1", "SET k 2"},
		{[]history.Event{invoke}, []history.Event{invoke, refused}, []Want{set("1")}, []Want{ended}, "SET k 1", "acquire -> refused"},
		{nil, nil, []Want{ended, waits(time.Second)}, []Want{ended, waits(time.Millisecond)}, "wait until its clock shows 12:00:01.000000", "wait until its clock shows 12:00:00.001000"},
		{nil, nil, []Want{ended, waits(time.Second)}, []Want{ended, ended}, "wait until its clock shows 12:00:01.000000", "nothing"},
		{nil, nil, []Want{set("1")}, []Want{set("1"), set("2")}, "nothing", "SET k 2"},
		{nil, nil, []Want{set("1"), set("2")}, []Want{set("1")}, "SET k 2", "nothing"},
	} {
		once, again := Apart(test.did, test.didAgain, test.wants, test.wantsAgain)
		if once.String() != test.once || again.String() != test.again {
			t.Errorf("once %q, again %q; want %q, %q", once, again, test.once, test.again)
		}
	}
}
