package sim

import (
	"errors"
	"testing"

	"lockstep/sim/history"
)

// TestWhatHappens: all that actions lead to, in order.
func TestWhatHappens(t *testing.T) {
	f := openTranscript(t, "testdata/happens.txt")
	for _, test := range []struct{ name, world, play string }{
		{"a command", "2: r2/3 SET k, now", "A ? A ?"},
		{"in parts", "1: now, SET k, now", "A A.send ? A.send A.apply ? A.apply A ?"},
		{"applied at once", "1: SET k, now", "A.apply A"},
		{"two commands", "1: SET k + GET k, now", "A.apply A"},
		{"two commands that nobody numbers", "1 unnumbered: SET k + GET k, now", "A"},
		{"a request is lost", "1: SET k, now", "A.lose-request ? A.lose-reply A +9 A +1 A ?"},
		{"a request is lost on its way", "1: SET k, now", "A.send +4 A.lose-request ? tick A ?"},
		{"a reply is lost", "1: SET k, now", "A.lose-reply A.lose-reply ? tick A ?"},
		{"a reply is lost on its way", "1: SET k, now", "A.apply A.lose-request A.lose-reply tick A"},
		{"a reply that is there does not time out", "1: SET k, now", "A.apply +50 A"},
		{"a late request", "1: SET k + GET k, r1/1 GET k, now", "A.late A.send +10 A ? A A.late ? A.late"},
		{"late requests of two", "2: SET k, r2/1 GET k, now | SET k, now",
			"B.send A.send +10 B A ? A.send +10 A ? A.late B.late A.late ?"},
		{"late over a connection that was used", "1: SET k, GET k, GET k, now", "A A.send +10 A A.late"},
		{"two late over one connection", "1: SET k, SET k, GET k, now", "A A.send +10 A A.send +10 A ? A.late A.late"},
		{"a slow node", "1: SET k, GET k, now", "r1.slow A ? A A.apply A.lose-reply tick A ? A.lose-request ? r1.fast A.late"},
		{"a slow node gets well in time", "1: SET k, now", "r1.slow A +9 A r1.fast A ?"},
		{"sent to a slow node that gets well too late", "1: SET k, now", "r1.slow A +10 r1.fast A ?"},
		{"a node that is down", "1: SET k, GET k, now", "r1.down A.apply A.lose-reply A.lose-request A.send ? A ? A.send r1.up A"},
		{"a node goes down meanwhile", "1: SET k, now", "A.send r1.down ? A ?"},
		{"a node begins anew before it replies", "2: SET k, now | r2/0 SET k, now", "A.send B.send r1.restart A.apply A.send A B"},
		{"a node begins anew after it has replied", "1: SET k, now", "A.apply r1.restart A"},
		{"a node begins anew with late requests", "2: SET k, r2/1 GET k, now", "A.send +10 A A.send +10 A ? r1.slow ? r1.restart ? A.late ?"},
		{"the second life of a node", "1: SET k, now", "r1.restart A.send ? A.apply ? A"},
		{"a connection that has ended", "1 broken=A/2.: r1/2 SET k, SET k, now", "A.lose-request A.lose-reply A.apply A.send ? A A"},
		{"a step over a connection that has ended", "1 broken=A/2.: r1/2 SET k, SET k, now", "A ? A"},
		{"a message", "1: r1/7 GET k, hear 7, now | TELL A/7. one + TELL A/7. two, now", "A A ? B A ? A"},
		{"a message overtakes nothing", "1: hear 7, r1/7 GET k, now | TELL A/7. one + TELL A/7. two, now", "B A A ?"},
		{"a message to one that is cut off", "1: r1/7 GET k, hear 7, now | TELL A/7. one, now", "A A.cut:r1 B A r1.slow A.heal:r1 A r1.fast A ?"},
		{"a client of ZooKeeper ends a connection over which nothing comes", "1 zookeeper: hear 7, now", "A.cut:r1 A ? tick A ? A"},
		{"it does not once it is reached again", "1 zookeeper: hear 7, now", "A.cut:r1 +65 A.heal:r1 +10 A ?"},
		{"a client of Redis waits on", "1: hear 7, now", "A.cut:r1 +1000 A ?"},
		{"a message is lost with its connection", "1: r1/7 GET k, hear 7, now | TELL A/7. one, now", "A A.lose-push B A.lose-push ? A.lose-push A"},
		{"nothing will come over a connection that has ended", "1 broken=A/2.: hear 2, now", "A"},
		{"a command that the node holds", "1: r1/7 HOLD, now | TELL A/7. one, now", "A ? A A.lose-reply B A.lose-push A ?"},
		{"a held command is held too long", "1: r1/7 HOLD, now", "A tick A ?"},
		{"a held command that waits for ever", "1: forever r1/7 HOLD, now | TELL A/7. one, now", "A ? tick A B A"},
		{"a held command on a node that begins anew", "1: r1/7 HOLD, now", "A r1.restart ? A"},
		{"a held command is late", "1: r1/7 HOLD, now", "A.send tick A A.late ?"},
		{"the answer to a held command is lost", "1: r1/7 HOLD, now | TELL A/7. one, now", "A B A.lose-push ? A"},
		{"one that holds its connection closes it", "1: r1/7 GET k, close 7 | TELL A/7. one, now", "A B"},
		{"a client hands back the stamp that it has read", "1: STAMP 7, SET k, renew GET k, now", "A A A"},
		{"a stamp is lost with its reply", "1: STAMP 7, STAMP 8, renew SET k, now", "A A.lose-reply tick A A"},
		{"a client forgets its stamp", "1: STAMP 7, STAMP -1, renew SET k, now", "A A A"},
		{"clocks of their own", "1 keep-time: SET k, sleep 5, now, now", "A.jump+3 A.jump-1 A tick A A"},
		{"late on a node that errs", "1 node-errs: SET k, now", "A.send +10 A A.late"},
		{"a node that errs", "2 node-errs: SET k, SET k, SET k, now", "A A.apply A.lose-reply r2.restart flush"},
		{"a program that errs", "1 code-errs: SET k, now", "A"},
		{"a node errs as time passes", "1 node-errs: SET k, now", "+5 tick"},
		{"evict on a node that errs", "1 r1.lock:stock=0 node-errs: now", "r1.evict"},
		{"cut off", "2: SET k, r2/1 GET k, SET k, now", "A.cut:r1 A.cut:r1 A.apply A.send ? A tick A A A.heal:r2 A.heal:r1 A ?"},
		{"cut off meanwhile", "2: SET k, r2/1 SET k, SET k, now", "A.send A.cut:r1 ? tick A A.apply A.cut:r2 ? tick A ?"},
		{"cut off from another", "2: SET k, now", "A.send A.cut:r2 ? A A"},
		{"cut off from two", "2: now", "A.cut:r1 A.cut:r2 ? A.heal:r2 ? A.heal:r1 ?"},
		{"cut off with late requests", "2: SET k, r2/1 SET k, now | SET k, now", "A.send B.send +10 A B A.send +10 A ? A.cut:r1 ? A.heal:r1 A.late ?"},
		{"cut off while nothing is on the way", "1: SET k, now", "A.cut:r1 ? A.heal:r1 ? A"},
		{"crash", "1: SET k, now | SET k, now", "A A.crash ? A A.crash A.late B"},
		{"crash with a request on the way", "2: r2/1 GET k, SET k, now", "A A.send A.crash ? A.late ? A.late"},
		{"crash with a reply on the way", "1: SET k, now", "A.apply A.crash ?"},
		{"crash with a request that is lost", "1: SET k, now", "A.lose-request A.crash ?"},
		{"crash when it is done", "1: SET k", "A A.hang A.cut:r1 A ? A.crash ?"},
		{"crash when its main strand is done", "1: now / SET k, now", "A A.crash"},
		{"crash before it sleeps", "1: now, sleep 5, now", "A A.crash ?"},
		{"crash before its first step", "1: fresh, now", "A.crash"},
		{"hang", "1: now, SET k, now", "A A.hang A.hang A A.send A.late +20 ?"},
		{"hang asleep", "1: now, sleep 20, now", "A ? A.hang ? tick +50 A"},
		{"hang with a request on the way", "1: SET k, now", "A.send A.hang ? A A.apply tick"},
		{"background strands of one that hangs", "1: now, now / now, r1/1 GET k, now", "A.hang A/1 A/1.send A/1 ? A.crash ?"},
		{"background strands of one that crashes", "1: SET k, now / r1/1 GET k, now", "A/1.send A.send A.crash ? A.late A.late"},
		{"a strand begins", "1: now, begin, now", "A/1 A A/1 A/2 ? A A/1 A ?"},
		{"all strands come to their end", "1: SET k / r1/1 SET k", "A ? A A/1 ? A/1"},
		{"a strand waits for another", "1: stay, now / now", "A ? A/1 tick"},
		{"sleep", "1: now, sleep 5, sleep 0, now", "A ? A +4 A tick A ? A"},
		{"sleep on a slow clock", "1: now, sleep 5, now", "A.rate+250 A ? tick A"},
		{"sleep on a fast clock", "1: now, sleep 5, now", "A.rate+4000 A ? A.crash"},
		{"sleep until a moment", "1: now, until 20, now", "A ? A tick A.jump+5 tick A"},
		{"clocks", "2: now, now, now, now", "A +10 A A.jump+5 A A.jump-20 r1.jump+7 r2.rate+500 +10 A"},
		{"time stops where a key ends", "2 r1.a=4 r2.b=9 r2.c=0 r1.d=4: now, sleep 30, now", "A +20 tick A tick"},
		{"ticks", "1 r1.a=6: now, sleep 5, now | SET k, now", "A B.send tick tick A tick B tick"},
		{"a key that has ended is no deadline", "1 r1.a=-1 r1.b=2: now, sleep 5, now", "tick tick"},
		{"evict", "2 r2.lock:stock=0 r1.other=0: now", "r1.evict r2.evict"},
		{"flush", "2: now", "flush"},
		{"promote", "2 behind=2: now", "r1.promote+1 r2.promote+1 r2.promote+2 r2.promote+3"},
		{"wipe and others of a node that is down", "1 r1.lock:stock=0: now", "r1.down r1.down r1.restart r1.wipe r1.evict r1.up r1.up r1.fast r1.slow r1.slow r1.wipe"},
		{"access", "1: read 0 0, write 5 0, read 0 2, write 6 1, now", "A A A A"},
		{"panic", "1: SET k, panic | SET k, now", "A ? A B"},
		{"what the code does on the way", "1: SET k, return, now", "A ? A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := worldOf(test.world)
			w.play(t, test.play)
			f.hold(t, test.name, w.log)
		})
	}
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
	f := worldOf("1: now, now / now")
	f.Programs[0] = forgetful{f.programs[0]}
	if err := f.Step(history.Action{Verb: history.Step, Client: "A"}, &f.Parties); !errors.Is(err, ErrNondeterministic) {
		t.Error(err)
	}
}
