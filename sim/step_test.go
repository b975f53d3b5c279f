package sim

import (
	"errors"
	"testing"
	"time"

	"lockstep/sim/history"
)

const ms = time.Millisecond

// TestWhatHappens: all that actions lead to, in order.
func TestWhatHappens(t *testing.T) {
	set, get := send(0, 0, "SET k"), send(0, 0, "GET k")
	f := openTranscript(t, "testdata/happens.txt")
	for _, test := range []struct {
		name  string
		world *fakeWorld
		play  string
	}{
		{"a command", newFake(2, client(send(1, 3, "SET k"), now)), "A ? A ?"},
		{"in parts", newFake(1, client(now, set, now)), "A A.send ? A.send A.apply ? A.apply A ?"},
		{"applied at once", newFake(1, client(set, now)), "A.apply A"},
		{"two commands", newFake(1, client(send(0, 0, "SET k", "GET k"), now)), "A.apply A"},
		{"two commands that nobody numbers", newFake(1, client(send(0, 0, "SET k", "GET k"), now)).unnumbered(), "A"},
		{"a request is lost", newFake(1, client(set, now)), "A.lose-request ? A.lose-reply A +9 A +1 A ?"},
		{"a request is lost on its way", newFake(1, client(set, now)), "A.send +4 A.lose-request ? tick A ?"},
		{"a reply is lost", newFake(1, client(set, now)), "A.lose-reply A.lose-reply ? tick A ?"},
		{"a reply is lost on its way", newFake(1, client(set, now)), "A.apply A.lose-request A.lose-reply tick A"},
		{"a reply that is there does not time out", newFake(1, client(set, now)), "A.apply +50 A"},
		{"a late request", newFake(1, client(send(0, 0, "SET k", "GET k"), send(0, 1, "GET k"), now)), "A.late A.send +10 A ? A A.late ? A.late"},
		{"late requests of two", newFake(2, client(set, send(1, 1, "GET k"), now), client(set, now)),
			"B.send A.send +10 B A ? A.send +10 A ? A.late B.late A.late ?"},
		{"late over a connection that was used", newFake(1, client(set, get, get, now)), "A A.send +10 A A.late"},
		{"two late over one connection", newFake(1, client(set, set, get, now)), "A A.send +10 A A.send +10 A ? A.late A.late"},
		{"a slow node", newFake(1, client(set, get, now)), "r1.slow A ? A A.apply A.lose-reply tick A ? A.lose-request ? r1.fast A.late"},
		{"a slow node gets well in time", newFake(1, client(set, now)), "r1.slow A +9 A r1.fast A ?"},
		{"sent to a slow node that gets well too late", newFake(1, client(set, now)), "r1.slow A +10 r1.fast A ?"},
		{"a node that is down", newFake(1, client(set, get, now)), "r1.down A.apply A.lose-reply A.lose-request A.send ? A ? A.send r1.up A"},
		{"a node goes down meanwhile", newFake(1, client(set, now)), "A.send r1.down ? A ?"},
		{"a node begins anew before it replies", newFake(2, client(set, now), client(send(1, 0, "SET k"), now)), "A.send B.send r1.restart A.apply A.send A B"},
		{"a node begins anew after it has replied", newFake(1, client(set, now)), "A.apply r1.restart A"},
		{"a node begins anew with late requests", newFake(2, client(set, send(1, 1, "GET k"), now)), "A.send +10 A A.send +10 A ? r1.slow ? r1.restart ? A.late ?"},
		{"the second life of a node", newFake(1, client(set, now)), "r1.restart A.send ? A.apply ? A"},
		{"a connection that has ended", newFake(1, client(send(0, 2, "SET k"), set, now)).broken("A/2."), "A.lose-request A.lose-reply A.apply A.send ? A A"},
		{"a step over a connection that has ended", newFake(1, client(send(0, 2, "SET k"), set, now)).broken("A/2."), "A ? A"},
		{"a message", newFake(1, client(send(0, 7, "GET k"), hear(0, 7), now), client(send(0, 0, "TELL A/7. one", "TELL A/7. two"), now)), "A A ? B A ? A"},
		{"a message overtakes nothing", newFake(1, client(hear(0, 7), send(0, 7, "GET k"), now), client(send(0, 0, "TELL A/7. one", "TELL A/7. two"), now)), "B A A ?"},
		{"a message to one that is cut off", newFake(1, client(send(0, 7, "GET k"), hear(0, 7), now), client(send(0, 0, "TELL A/7. one"), now)), "A A.cut:r1 B A r1.slow A.heal:r1 A r1.fast A ?"},
		{"a message is lost with its connection", newFake(1, client(send(0, 7, "GET k"), hear(0, 7), now), client(send(0, 0, "TELL A/7. one"), now)), "A A.lose-push B A.lose-push ? A.lose-push A"},
		{"nothing will come over a connection that has ended", newFake(1, client(hear(0, 2), now)).broken("A/2."), "A"},
		{"a command that the node holds", newFake(1, client(send(0, 7, "HOLD"), now), client(send(0, 0, "TELL A/7. one"), now)), "A ? A A.lose-reply B A.lose-push A ?"},
		{"a held command is held too long", newFake(1, client(send(0, 7, "HOLD"), now)), "A tick A ?"},
		{"a held command that waits for ever", newFake(1, client(forever(send(0, 7, "HOLD")), now), client(send(0, 0, "TELL A/7. one"), now)), "A ? tick A B A"},
		{"a held command on a node that begins anew", newFake(1, client(send(0, 7, "HOLD"), now)), "A r1.restart ? A"},
		{"a held command is late", newFake(1, client(send(0, 7, "HOLD"), now)), "A.send tick A A.late ?"},
		{"the answer to a held command is lost", newFake(1, client(send(0, 7, "HOLD"), now), client(send(0, 0, "TELL A/7. one"), now)), "A B A.lose-push ? A"},
		{"one that holds its connection closes it", newFake(1, client(send(0, 7, "GET k"), closes(now, Link{0, 7})), client(send(0, 0, "TELL A/7. one"), now)), "A B"},
		{"a client hands back the stamp that it has read", newFake(1, client(send(0, 0, "STAMP 7"), set, renew(get), now)), "A A A"},
		{"a stamp is lost with its reply", newFake(1, client(send(0, 0, "STAMP 7"), send(0, 0, "STAMP 8"), renew(set), now)), "A A.lose-reply tick A A"},
		{"a client forgets its stamp", newFake(1, client(send(0, 0, "STAMP 7"), send(0, 0, "STAMP -1"), renew(set), now)), "A A A"},
		{"clocks of their own", newFake(1, client(set, sleep(5*ms), now, now)).keepTime(), "A.jump+3 A.jump-1 A tick A A"},
		{"late on a node that errs", newFake(1, client(set, now)).err(), "A.send +10 A A.late"},
		{"a node that errs", newFake(2, client(set, set, set, now)).err(), "A A.apply A.lose-reply r2.restart flush"},
		{"a program that errs", newFake(1, client(set, now)).errs(), "A"},
		{"a node errs as time passes", newFake(1, client(set, now)).err(), "+5 tick"},
		{"evict on a node that errs", newFake(1, client(now)).with(map[string]history.Millis{"r1 lock:stock": 0}).err(), "r1.evict"},
		{"cut off", newFake(2, client(set, send(1, 1, "GET k"), set, now)), "A.cut:r1 A.cut:r1 A.apply A.send ? A tick A A A.heal:r2 A.heal:r1 A ?"},
		{"cut off meanwhile", newFake(2, client(set, send(1, 1, "SET k"), set, now)), "A.send A.cut:r1 ? tick A A.apply A.cut:r2 ? tick A ?"},
		{"cut off from another", newFake(2, client(set, now)), "A.send A.cut:r2 ? A A"},
		{"cut off from two", newFake(2, client(now)), "A.cut:r1 A.cut:r2 ? A.heal:r2 ? A.heal:r1 ?"},
		{"cut off with late requests", newFake(2, client(set, send(1, 1, "SET k"), now), client(set, now)), "A.send B.send +10 A B A.send +10 A ? A.cut:r1 ? A.heal:r1 A.late ?"},
		{"cut off while nothing is on the way", newFake(1, client(set, now)), "A.cut:r1 ? A.heal:r1 ? A"},
		{"crash", newFake(1, client(set, now), client(set, now)), "A A.crash ? A A.crash A.late B"},
		{"crash with a request on the way", newFake(2, client(send(1, 1, "GET k"), set, now)), "A A.send A.crash ? A.late ? A.late"},
		{"crash with a reply on the way", newFake(1, client(set, now)), "A.apply A.crash ?"},
		{"crash with a request that is lost", newFake(1, client(set, now)), "A.lose-request A.crash ?"},
		{"crash when it is done", newFake(1, client(set)), "A A.hang A.cut:r1 A ? A.crash ?"},
		{"crash when its main strand is done", newFake(1, &fakeProgram{strands: [][]turn{{now}, {set, now}}}), "A A.crash"},
		{"crash before it sleeps", newFake(1, client(now, sleep(5*ms), now)), "A A.crash ?"},
		{"crash before its first step", newFake(1, &fakeProgram{strands: [][]turn{{fresh, now}}}), "A.crash"},
		{"hang", newFake(1, client(now, set, now)), "A A.hang A.hang A A.send A.late +20 ?"},
		{"hang asleep", newFake(1, client(now, sleep(20*ms), now)), "A ? A.hang ? tick +50 A"},
		{"hang with a request on the way", newFake(1, client(set, now)), "A.send A.hang ? A A.apply tick"},
		{"background strands of one that hangs", newFake(1, &fakeProgram{strands: [][]turn{{now, now}, {now, send(0, 1, "GET k"), now}}}), "A.hang A/1 A/1.send A/1 ? A.crash ?"},
		{"background strands of one that crashes", newFake(1, &fakeProgram{strands: [][]turn{{set, now}, {send(0, 1, "GET k"), now}}}), "A/1.send A.send A.crash ? A.late A.late"},
		{"a strand begins", newFake(1, client(now, turn{Want: now.Want, starts: []turn{set, now}}, now)), "A/1 A A/1 A/2 ? A A/1 A ?"},
		{"all strands come to their end", newFake(1, &fakeProgram{strands: [][]turn{{set}, {send(0, 1, "SET k")}}}), "A ? A A/1 ? A/1"},
		{"a strand waits for another", newFake(1, &fakeProgram{strands: [][]turn{{{Want: Want{Stays: true}}, now}, {now}}}), "A ? A/1 tick"},
		{"sleep", newFake(1, client(now, sleep(5*ms), sleep(0), now)), "A ? A +4 A tick A ? A"},
		{"sleep on a slow clock", newFake(1, client(now, sleep(5*ms), now)), "A.rate+250 A ? tick A"},
		{"sleep on a fast clock", newFake(1, client(now, sleep(5*ms), now)), "A.rate+4000 A ? A.crash"},
		{"sleep until a moment", newFake(1, client(now, turn{Want: Want{Sleeps: true, Wakes: epoch.Add(20 * ms)}}, now)), "A ? A tick A.jump+5 tick A"},
		{"clocks", newFake(2, client(now, now, now, now)), "A +10 A A.jump+5 A A.jump-20 r1.jump+7 r2.rate+500 +10 A"},
		{"time stops where a key ends", newFake(2, client(now, sleep(30*ms), now)).with(map[string]history.Millis{"r1 a": 4, "r2 b": 9, "r2 c": 0, "r1 d": 4}), "A +20 tick A tick"},
		{"ticks", newFake(1, client(now, sleep(5*ms), now), client(send(0, 0, "SET k"), now)).with(map[string]history.Millis{"r1 a": 6}), "A B.send tick tick A tick B tick"},
		{"a key that has ended is no deadline", newFake(1, client(now, sleep(5*ms), now)).with(map[string]history.Millis{"r1 a": -1, "r1 b": 2}), "tick tick"},
		{"evict", newFake(2, client(now)).with(map[string]history.Millis{"r2 lock:stock": 0, "r1 other": 0}), "r1.evict r2.evict"},
		{"flush", newFake(2, client(now)), "flush"},
		{"promote", newFake(2, client(now)).behind(2), "r1.promote+1 r2.promote+1 r2.promote+2 r2.promote+3"},
		{"wipe and others of a node that is down", newFake(1, client(now)).with(map[string]history.Millis{"r1 lock:stock": 0}), "r1.down r1.down r1.restart r1.wipe r1.evict r1.up r1.up r1.fast r1.slow r1.slow r1.wipe"},
		{"access", newFake(1, client(access(history.ReadOp, 0, 0), access(history.WriteOp, 5, 0), access(history.ReadOp, 0, 2), access(history.WriteOp, 6, 1), now)), "A A A A"},
		{"panic", newFake(1, client(set, turn{Want: now.Want, events: []history.Event{{Kind: history.Fail, Text: "oh"}, {Kind: history.Panic, Text: "no"}}}), client(set, now)), "A ? A B"},
		{"what the code does on the way", newFake(1, client(set, turn{Want: now.Want, events: []history.Event{{Kind: history.Return, Call: 2, Outcome: history.Acquired}}}, now)), "A ? A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.world.play(t, test.play)
			f.hold(t, test.name, test.world.log)
		})
	}
}

// with has nodes with keys, by the node and the key, and until when they are
// there.
func (f *fakeWorld) with(keys map[string]history.Millis) *fakeWorld {
	for key, until := range keys {
		f.nodes[key[1]-'1'].expires[key[3:]] = until
	}
	return f
}

// behind has a replica of the second node that may have missed so many writes.
func (f *fakeWorld) behind(n int) *fakeWorld {
	f.nodes[1].behind = n
	return f
}

// broken has a connection that ended with the process of the first node.
func (f *fakeWorld) broken(conn string) *fakeWorld {
	f.nodes[0].broken = []string{conn}
	return f
}

// unnumbered has commands that nobody numbers.
func (f *fakeWorld) unnumbered() *fakeWorld {
	f.Call = nil
	return f
}

// keepTime has programs that run by clocks of their own.
func (f *fakeWorld) keepTime() *fakeWorld {
	f.KeepTime = true
	return f
}

// err has nodes that err.
func (f *fakeWorld) err() *fakeWorld {
	for _, n := range f.nodes {
		n.err = errFake
	}
	return f
}

// errs has programs that err.
func (f *fakeWorld) errs() *fakeWorld {
	for _, p := range f.programs {
		p.err = errFake
	}
	return f
}

// fresh is what a strand begins with.
var fresh = turn{Want: Want{Fresh: true, Text: "its first step"}}

func access(op string, value, fence int64) turn {
	return turn{Want: Want{Saw: SawAccess, Text: op + " stock", Access: Access{Op: op, Value: value, Fence: fence}}}
}

// A forgetful program has lost all threads but one when it has observed something.
type forgetful struct{ *fakeProgram }

func (p forgetful) Observe(at Ref, strand int, o Observation) (Ref, []history.Event, error) {
	at, events, err := p.fakeProgram.Observe(at, strand, o)
	p.strands = p.strands[:1]
	return at, events, err
}

// TestALostThread: code that has lost a thread, as it has run anew and did something else,
// is not deterministic.
func TestALostThread(t *testing.T) {
	p := client(now, now)
	p.strands = append(p.strands, []turn{now})
	f := newFake(1, p)
	f.Programs[0] = forgetful{p}
	if err := f.Step(history.Action{Verb: history.Step, Client: "A"}, &f.Parties); !errors.Is(err, ErrNondeterministic) {
		t.Error(err)
	}
}
