package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/sim/history"
)

// TestRefusals: what is said against actions that cannot happen, of whatever
// verb, and nothing against those that can.
func TestRefusals(t *testing.T) {
	f := worldOf("2: now | now")
	f.Clients[1].Dead = true
	for _, test := range []struct{ action, want string }{
		{"leap A", `"leap" is not a verb`},
		{"restart node=r3", `there is no node "r3"; use r1, r2`},
		{"restart node=r0", `there is no node "r0"; use r1, r2`},
		{"restart node=x1", `there is no node "x1"; use r1, r2`},
		{"restart node=r11", `there is no node "r11"; use r1, r2`},
		{"restart", `there is no node ""; use r1, r2`},
		{"cut A node=r3", `there is no node "r3"; use r1, r2`},
		{"step A node=r3", `there is no node "r3"; use r1, r2`},
		{"restart node=r2", ""},
		{"step C", `there is no client "C"`},
		{"step", `there is no client ""`},
		{"step A strand=-1", "client A has no thread -1"},
		{"step A strand=1", "client A has no thread 1"},
		{"step A", ""},
		{"step B", "client B is dead"},
		{"cancel A", ""},
		{"cancel A strand=1", "client A has no thread 1"},
		{"cancel B", "client B is dead"},
		{"send A", "A is not about to send a command"},
		{"lose-reply A", "A is not about to send a command"},
		{"late B", "no request of B is on the way without its sender"},
		{"rate A", "a rate lies between 1 and 1000000 thousandths"},
		{"rate A by=1", ""},
		{"rate A by=1000000", ""},
		{"rate A by=1000001", "a rate lies between 1 and 1000000 thousandths"},
		{"promote node=r1", "the replica of r1 can have missed 0 writes at most"},
		{"advance", "time only moves forward"},
		{"advance by=-1", "time only moves forward"},
		{"advance by=1", ""},
		{"advance by=1000000000000", ""},
		{"advance by=1000000000001", "time would pass its end: it ends at 277777h46m40s"},
		{"advance by=4611686018427387904", "time would pass its end: it ends at 277777h46m40s"},
		{"jump A by=1000000000000", ""},
		{"jump A by=-1000000000000", ""},
		{"jump A by=1000000000001", "time would pass its end: the clock of A would be more than 277777h46m40s from the world's"},
		{"jump A by=-1000000000001", "time would pass its end: the clock of A would be more than 277777h46m40s from the world's"},
		{"jump node=r2 by=1000000000001", "time would pass its end: the clock of r2 would be more than 277777h46m40s from the world's"},
		{"jump node=r2 by=1000000000000", ""},
		{"tick", "no key expires and nobody waits for time"},
	} {
		var a history.Action
		for word := range strings.FieldsSeq(test.action) {
			switch key, value, set := strings.Cut(word, "="); {
			case key == "node":
				a.Node = value
			case set:
				n, _ := strconv.ParseInt(value, 10, 64)
				if a.By = history.Millis(n); key == "strand" {
					a.Strand, a.By = int(n), 0
				}
			case a.Verb == "":
				a.Verb = history.Verb(word)
			default:
				a.Client = word
			}
		}
		why := f.Refusal(a, &f.Parties)
		if got := fmt.Sprint(why); got != test.want || why.No() != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.action, got, test.want)
		}
	}
}

// TestHowFarAClockJumps: as far as time goes from where it is, and only forward if
// it is the client's own.
func TestHowFarAClockJumps(t *testing.T) {
	f := worldOf("1: now")
	f.Clients[0].Clock.Ahead, f.nodes[0].health.Clock.Ahead = 5000, -5000
	for _, test := range []struct {
		client, node string
		keepTime     bool
		by           history.Millis
		possible     bool
	}{
		{"A", "", false, history.MaxTime - 5, true},
		{"A", "", false, history.MaxTime - 4, false},
		{"A", "", false, -history.MaxTime - 5, true},
		{"A", "", false, -history.MaxTime - 6, false},
		{"", "r1", false, history.MaxTime + 5, true},
		{"", "r1", false, history.MaxTime + 6, false},
		{"", "r1", false, -history.MaxTime + 5, true},
		{"", "r1", false, -history.MaxTime + 4, false},
		{"A", "", true, 1, true},
		{"A", "", true, 0, true},
		{"A", "", true, -1, false},
		{"", "r1", true, -1, true},
	} {
		f.KeepTime = test.keepTime
		why := f.Refusal(history.Action{Verb: history.Jump, Client: test.client, Node: test.node, By: test.by}, &f.Parties)
		if why.No() != test.possible {
			t.Errorf("%+v: %q", test, why)
		}
	}
}

// TestTheEndOfTime: no clock of somebody who lives strays further than time itself
// goes, and what is said of it ends a run.
func TestTheEndOfTime(t *testing.T) {
	for _, test := range []struct {
		what    string
		change  func(*fakeWorld)
		refused bool
	}{
		{"right clocks", func(*fakeWorld) {}, false},
		{"a client's clock is as far as it may be", func(f *fakeWorld) { f.Clients[0].Clock.Ahead = int64(history.MaxTime) * 1000 }, false},
		{"a client's clock is as far behind as it may be", func(f *fakeWorld) { f.Clients[0].Clock.Ahead = -int64(history.MaxTime) * 1000 }, false},
		{"a client's clock is ahead", func(f *fakeWorld) { f.Clients[0].Clock.Ahead = int64(history.MaxTime)*1000 + 1000 }, true},
		{"a client's clock is behind", func(f *fakeWorld) { f.Clients[0].Clock.Ahead = -int64(history.MaxTime)*1000 - 1000 }, true},
		{"a client's clock runs ahead", func(f *fakeWorld) {
			f.Clients[0].Clock = Clock{Ahead: int64(history.MaxTime)*1000 - 4000, Drift: 1000}
		}, true},
		{"a dead client's clock is ahead", func(f *fakeWorld) {
			f.Clients[0].Clock.Ahead, f.Clients[0].Dead = int64(history.MaxTime)*1000+1000, true
		}, false},
		{"a node's clock is ahead", func(f *fakeWorld) { f.nodes[1].health.Clock.Ahead = int64(history.MaxTime)*1000 + 1000 }, true},
		{"time is near its end", func(f *fakeWorld) { f.Now = history.MaxTime - 5 }, false},
		{"time is nearer", func(f *fakeWorld) { f.Now = history.MaxTime - 4 }, true},
	} {
		f := worldOf("2: now")
		test.change(f)
		why := f.Refusal(history.Action{Verb: history.Advance, By: 5}, &f.Parties)
		if why.No() == test.refused || test.refused != errors.Is(why.Err(), ErrEndOfTime) {
			t.Errorf("%s: %q, %v", test.what, why, why.Err())
		}
		f.nodes[0].expires["k"] = f.Now + 4
		if tick := f.Refusal(history.Action{Verb: history.Tick}, &f.Parties); tick.No() == test.refused {
			t.Errorf("%s: a tick: %q", test.what, tick)
		}
	}
	f := worldOf("1: now")
	if err := f.Refusal(history.Action{Verb: history.Tick}, &f.Parties).Err(); err != nil {
		t.Errorf("what is only not possible now ends a run: %v", err)
	}
}

// TestEnabled: the candidates but for those that are refused.
func TestEnabled(t *testing.T) {
	f := worldOf("2: now | now")
	f.Clients[0].Cut = 0b10
	kinds := []history.Action{{Verb: history.Step}, {Verb: history.Cut}, {Verb: history.Heal}, {Verb: history.Up}, {Verb: history.Tick}}
	want := "A A.cut:r1 A.heal:r2 B B.cut:r1 B.cut:r2"
	if got := history.Schedule(f.Enabled(&f.Parties, kinds...)).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStrands: what may be asked about the strands of a client.
func TestStrands(t *testing.T) {
	f := worldOf("1: SET k, now / sleep 30, now | now")
	p := &f.Parties
	ask := func() (text string) {
		for id := range f.Clients[0].Strands {
			at, waits := f.DueOf(0, id, p)
			text += fmt.Sprintf("%s, phase %d, waits %t, due %d %t; ", f.TextOf(0, id, p), f.PhaseOf(0, id, p), f.Waits(0, id, p), at, waits)
		}
		at, ok := f.DeadlineOf(0, p)
		return text + fmt.Sprintf("deadline %d %t", at, ok)
	}
	for _, test := range []struct {
		what   string
		change func()
		want   string
	}{
		{"nothing has left", func() { f.Clients[0].Strands[1].Until = 30 }, "SET k, phase 0, waits false, due 0 false; sleep 30ms, phase 0, waits false, due 30 true; deadline 30 true"},
		{"a request is on the way", func() { f.play(t, "A.send") }, "SET k, phase 1, waits true, due 10 true; sleep 30ms, phase 0, waits false, due 30 true; deadline 10 true"},
		{"it has timed out", func() { f.Now = 10 }, "SET k, phase 1, waits false, due 10 true; sleep 30ms, phase 0, waits false, due 30 true; deadline 30 true"},
		{"the node began anew", func() { f.Now = 9; f.nodes[0].health.Life++ }, "SET k, phase 5, waits false, due 0 false; sleep 30ms, phase 0, waits false, due 30 true; deadline 30 true"},
		{"it is lost", func() { f.nodes[0].health.Life--; f.Clients[0].Strands[0].Phase = Lost }, "SET k, phase 3, waits false, due 10 true; sleep 30ms, phase 0, waits false, due 30 true; deadline 10 true"},
		{"it hangs", func() { f.Clients[0].Hung = true }, "SET k, phase 3, waits false, due 0 false; sleep 30ms, phase 0, waits false, due 30 true; deadline 30 true"},
		{"nobody waits any more", func() { f.Now = 30 }, "SET k, phase 3, waits false, due 0 false; sleep 30ms, phase 0, waits false, due 30 true; deadline 0 false"},
		{"it is done", func() { f.Now = 0; f.Clients[0].Done = true }, "SET k, phase 3, waits false, due 0 false; sleep 30ms, phase 0, waits false, due 30 true; deadline 0 false"},
	} {
		test.change()
		if got := ask(); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
	f.Clients[0].Done, f.Clients[0].Dead = false, true
	if at, ok := f.DeadlineOf(0, p); ok {
		t.Errorf("a dead client waits until %d", at)
	}
	if at, ok := f.NextDeadline(p); ok {
		t.Errorf("time matters at %d to nobody", at)
	}
	f.nodes[0].expires["k"] = 4
	if at, ok := f.NextDeadline(p); at != 5 || !ok {
		t.Errorf("a key ends at %d, %t", at, ok)
	}
	f.Now = 5
	if at, ok := f.NextDeadline(p); ok {
		t.Errorf("a key that has ended ends at %d again", at)
	}
}

// TestBegun: whether any code has run.
func TestBegun(t *testing.T) {
	for c, want := range map[*ClientState]bool{{}: false, {Dead: true}: true, {Done: true}: true, {Code: 1}: true, {Hung: true}: false} {
		if c.Begun() != want {
			t.Errorf("%+v: %t", c, c.Begun())
		}
	}
	c := ClientState{Cut: 0b101}
	if !slices.Equal([]bool{c.CutOff(0), c.CutOff(1), c.CutOff(2)}, []bool{true, false, true}) {
		t.Errorf("cut off from %b", c.Cut)
	}
}

// TestEndFaults: nodes and connections work again, and nothing is told of it.
func TestEndFaults(t *testing.T) {
	f := worldOf("2: now | now")
	f.play(t, "A.cut:r1 B.cut:r2 B.hang r1.down r2.slow")
	told := len(f.log)
	if err := f.EndFaults(&f.Parties); err != nil || f.nodes[0].health.Down || f.nodes[1].health.Slow || f.Clients[0].Cut+f.Clients[1].Cut != 0 || !f.Clients[1].Hung {
		t.Errorf("%+v, %+v, %+v, %v", f.nodes[0].health, f.nodes[1].health, f.Clients, err)
	}
	if len(f.log) > told {
		t.Errorf("it is told: %q", f.log[told:])
	}
	f.nodes[1].health.Slow = true
	f.nodes[1].err = errFake
	if err := f.EndFaults(&f.Parties); !errors.Is(err, errFake) {
		t.Errorf("a node that errs: %v", err)
	}
}
