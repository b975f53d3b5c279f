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

// TestAStoredStateSpeaksAlike does the same to a running node and to a state
// that is loaded and stored: commands, time, faults, ends of connections and
// reads of messages. Both must say and be the same after each, the state also
// at another time.
func TestAStoredStateSpeaksAlike(t *testing.T) {
	faults := append([]history.Action{{Verb: history.Restart, Node: "r1"}, {Verb: history.Promote, Node: "r1", By: 1}}, clockFaults...)
	sent, served, timedOut := 0, 0, 0
	for seed := range uint64(testkit.Size(t, 60, 60)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := &pushGenerator{generator{rng: rng, now: start}}
		live, err := NewEmbedded("r1", 2)
		if err != nil {
			t.Fatal(err)
		}
		stored, now := NodeState{Lag: 2}, start
		pass(t, live, now)
		var done []string
		conns := []string{"A/0.", "A/1.", "B/0."}
	run:
		for range 30 {
			conn := conns[rng.IntN(len(conns))]
			var want, got any
			switch kind := rng.IntN(12); {
			case kind < 7:
				l := g.line()
				if len(l.cmds) == 0 || inParts(l.cmds) {
					continue
				}
				if (liveNode{live}).waits(conn) || live.gone[conn] {
					continue
				}
				units := sim.Units(l.cmds)
				done = append(done, fmt.Sprintf("%s %q", conn, l.cmds))
				_, w, err := live.Execute(0, conn, units, now)
				const by = history.Millis(1000)
				after, x, errStored := stored.Shift(by).Execute("r1", conn, units, now+by)
				if fmt.Sprint(err) != fmt.Sprint(errStored) {
					t.Fatalf("%q: %v, stored %v", done, err, errStored)
				}
				if err != nil {
					break run // it is over
				}
				stored = after.Shift(-by)
				for i := range x {
					x[i] = x[i].Shift(-by)
					served += len(x[i].Sent)
				}
				want, got = texts(w), texts(x)
			case kind < 9:
				now += []history.Millis{1, 19, 20, 21, 30, 50, 1001}[rng.IntN(7)]
				done = append(done, fmt.Sprint("to ", now))
				_, w, err := live.Pass(0, now)
				if err != nil {
					t.Fatal(err)
				}
				after, x := stored.Pass(now)
				stored, want, got = after, happenedText(w), happenedText(x)
				timedOut += len(x.Sent)
			case kind == 9:
				f := faults[rng.IntN(len(faults))]
				if f.Verb == history.Promote && len(stored.Behind) == 0 {
					continue
				}
				done = append(done, f.String())
				_, w, err := live.Fault(0, f, now)
				if err != nil {
					t.Fatal(err)
				}
				after, x := stored.Fault(f, now)
				stored, want, got = after, happenedText(w), happenedText(x)
			case kind == 10:
				done = append(done, conn+" ends")
				live.Forget(0, func(c string) bool { return c == conn })
				stored = stored.Forget(func(c string) bool { return c == conn })
			default:
				w, there := live.Unread(0, conn)
				x, also := stored.Unread(conn)
				done = append(done, conn+" reads")
				if there != also || w.Raw != x.Raw || w.Text != x.Text {
					t.Fatalf("%q: %+v %t, stored %+v %t", done, w, there, x, also)
				}
				if there {
					live.Take(0, conn)
					stored = stored.Take(conn)
					sent++
				}
			}
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%q:\n%v, stored\n%v", done, want, got)
			}
			is, err := live.store()
			if err != nil {
				t.Fatal(err)
			}
			shown := stored
			shown.Watches = slices.Clone(shown.Watches)
			for i := range shown.Watches {
				shown.Watches[i].Dirty = false // only EXEC shows it on a running node
			}
			if is.String() != shown.String() {
				t.Fatalf("%q:\nit is\n%s, stored\n%s", done, is, shown)
			}
		}
		live.mini.Close()
	}
	if min(sent, served, timedOut) == 0 {
		t.Errorf("%d messages were read, %d sent by commands, %d by time", sent, served, timedOut)
	}
}

func texts(list []sim.Executed) (all []string) {
	for _, x := range list {
		all = append(all, fmt.Sprintf("%q %s %t %s", x.Raw, x.Reply, x.Held, happenedText(x.Happened)))
	}
	return all
}

func happenedText(did sim.Happened) string {
	text := changesText(did.Changes)
	for _, msg := range did.Sent {
		text += fmt.Sprintf("; to %s %q %s %s", msg.Conn, msg.Raw, msg.Text, changesText(msg.Changes))
	}
	return text
}

func changesText(changes []history.Change) (text string) {
	for _, ch := range changes {
		text += fmt.Sprintf(" %s %+v -> %+v", ch.Key, deref(ch.Before), deref(ch.After))
	}
	return text
}

func deref(k *history.KeyState) any {
	if k == nil {
		return nil
	}
	return *k
}
