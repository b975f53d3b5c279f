package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
)

// TestOver: nothing follows where all code has ended or panicked.
func TestOver(t *testing.T) {
	live, ended, panicked := sim.Want{}, sim.Want{Ended: true}, []history.Event{{Kind: history.Fail}, {Kind: history.Panic}}
	for _, test := range []struct {
		wants  []sim.Want
		events []history.Event
		over   bool
	}{
		{[]sim.Want{live}, nil, false},
		{[]sim.Want{ended, live}, nil, false},
		{[]sim.Want{ended, ended}, nil, true},
		{[]sim.Want{live}, panicked, true},
		{[]sim.Want{live}, panicked[:1], false},
	} {
		if over(test.wants, test.events) != test.over {
			t.Errorf("%+v", test)
		}
	}
}

// rounds returns a learner with some observations, one letter each: the same
// letter is the same observation, a capital one a timeout.
func rounds(saw string) *learner {
	l := &learner{nodes: []clientNode{{first: noWay, wants: []sim.Want{{}, {Sleeps: true, For: 1}}}}}
	for i, letter := range saw {
		w := way{from: int32(i), to: int32(i + 1), saw: sim.Observation{Kind: sim.SawReply, Reply: []byte(string(letter))}}
		switch {
		case letter == 'T':
			w.saw.Kind = sim.SawTimeOut
		case letter == 'S':
			w.strand = 1 // it sleeps
		}
		l.nodes = append(l.nodes, clientNode{first: int32(i), wants: l.nodes[0].wants})
		l.ways = append(l.ways, w)
	}
	return l
}

// TestRoundTo: the shortest round that was seen twice, of at most eight
// observations and without a pause.
func TestRoundTo(t *testing.T) {
	for _, test := range []struct {
		saw  string
		want []int32
	}{
		{"a", nil}, {"aa", []int32{2}}, {"ab", nil}, {"aba", nil}, {"abab", []int32{3, 4}}, {"xabab", []int32{4, 5}}, {"abb", []int32{3}},
		{"abcabc", []int32{4, 5, 6}}, {"abcabd", nil}, {"aTa", nil}, {"aTaa", []int32{4}}, {"aS", nil}, {"aSaS", nil},
		{"abcdefghabcdefgh", []int32{9, 10, 11, 12, 13, 14, 15, 16}},
		{"abcdefghiabcdefghi", nil},
		{"xabcdefghabcdefgh", []int32{10, 11, 12, 13, 14, 15, 16, 17}},
	} {
		if got := rounds(test.saw).roundTo(int32(len(test.saw))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.saw, got, test.want)
		}
	}
	l := rounds("aa")
	for name, change := range map[string]func(*clientNode, *way){
		"strand": func(_ *clientNode, w *way) { w.strand = 1 }, "reply": func(_ *clientNode, w *way) { w.saw.Reply = []byte("b") },
		"wants": func(n *clientNode, _ *way) { n.wants = nil }, "kind": func(_ *clientNode, w *way) { w.saw.Kind = sim.SawRefused },
		"events": func(_ *clientNode, w *way) { w.events = []history.Event{{}} },
	} {
		n, w := l.nodes[2], l.ways[1]
		if change(&l.nodes[2], &l.ways[1]); l.alike(1, 2) {
			t.Errorf("%s makes no difference", name)
		}
		l.nodes[2], l.ways[1] = n, w
	}
}

// TestSpinsInWords checks the text for code that spins.
func TestSpinsInWords(t *testing.T) {
	units := sim.Units([][]string{{"GET", "k"}})
	units[0].Shown = units[0].Cmds
	for want, w := range map[string]sim.Want{
		"sends GET k": {Saw: sim.SawReply, Units: units}, "reads its clock": {Saw: sim.SawNow},
		"does read stock": {Saw: sim.SawAccess, Access: sim.Access{Op: history.ReadOp, Resource: "stock"}}, "sleeps 2ms": {For: 2 * time.Millisecond},
	} {
		if got := does(&w); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	s := Spin{Client: "A", Does: []string{"sends GET k"}}
	if got := s.String(); got != "A sends GET k over and over while no time passes" {
		t.Error(got)
	}
	if s.Source = "lock.go:1"; s.String() != "A sends GET k over and over while no time passes (lock.go:1)" {
		t.Error(s)
	}
}

// TestSooner: 0 is never.
func TestSooner(t *testing.T) {
	for _, test := range [][3]history.Millis{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {5, 6, 5}, {6, 5, 5}, {5, 5, 5}, {1, 2, 1}, {2, 1, 1}} {
		if got := Sooner(test[0], test[1]); got != test[2] {
			t.Errorf("the sooner of %d and %d is %d", test[0], test[1], got)
		}
	}
}

// TestWhatAsksForTheTime checks commands and scripts, in either case.
func TestWhatAsksForTheTime(t *testing.T) {
	for _, test := range []struct {
		script string
		cmd    []string
		asks   bool
	}{
		{"", []string{"GET", "k"}, false}, {"", []string{"TIME"}, true}, {"", []string{"time"}, true}, {"", []string{"EXPIREAT", "k", "1"}, true},
		{"", []string{"PEXPIREAT", "k", "1"}, true}, {"", []string{"SET", "k", "v", "EXAT", "1"}, true}, {"", []string{"SET", "k", "v", "PXAT", "1"}, true},
		{"", []string{"PEXPIRETIME", "k"}, true}, {"", []string{"SET", "k", "v", "PX", "1"}, false}, {"return redis.call('TIME')", []string{"GET", "k"}, true},
		{"return redis.call('pexpireat', KEYS[1], 1)", []string{"EVALSHA", "x"}, true},
		{"return redis.call('GET', KEYS[1])", []string{"EVALSHA", "x"}, false},
	} {
		m := Model{timed: map[string]bool{}}
		node := server.NodeState{Scripts: []string{test.script}}
		for range 2 { // the second time from the cache
			if got := node.Timed(sim.Units([][]string{{"GET", "x"}, test.cmd}), m.isTimed); got != test.asks {
				t.Errorf("%q, %q: %t", test.script, test.cmd, got)
			}
		}
	}
}

// TestBytes: each learned item adds a fixed amount.
func TestBytes(t *testing.T) {
	m := newModel(t)
	m.reach(t, nil, nil)
	acquired := history.NewMonitor(m.Config, 1)
	acquired.Observe(history.Event{Kind: history.Return, Client: "A", Op: history.OpAcquire, Outcome: history.Acquired})
	if m.monitor(acquired) == FreshMonitor || len(m.monitors.list) != 2 {
		t.Errorf("%d monitors, want 2", len(m.monitors.list))
	}
	nodes, clients := 0, 0
	for _, l := range m.learners {
		nodes += len(l.nodes)
	}
	for who := range m.clients {
		clients += len(m.clients[who].list)
	}
	want := 1600*nodes + 400*clients + 1000*len(m.envs.list) + 2000*len(m.monitors.list) + 64*len(m.effects.known) + 1500*len(m.executed) + 70*len(m.recovery.numbers[0]) + 75*m.recovery.turned
	if got := m.Bytes(); got != want || min(nodes, clients, len(m.envs.list), len(m.effects.known), len(m.executed)) < 5 {
		t.Errorf("%d bytes of %d nodes, %d clients, %d envs, %d monitors, %d effects and %d executions; want %d", got, nodes, clients, len(m.envs.list), len(m.monitors.list), len(m.effects.known), len(m.executed), want)
	}
	runs, execs := m.Runs()
	if runs < len(m.learners) || execs != len(m.executed) {
		t.Errorf("%d runs of %d clients, %d executions of %d", runs, len(m.learners), execs, len(m.executed))
	}
}

// TestTheDeadAndTheDone: their other fields make no difference.
func TestTheDeadAndTheDone(t *testing.T) {
	full := sim.ClientState{Code: 3, Hung: true, Cut: 1, Strands: make([]sim.Strand, 2)}
	dead, done, both := full, full, full
	dead.Dead, done.Done, both.Dead, both.Done = true, true, true, true
	for want, got := range map[string]clientState{
		fmt.Sprintf("%+v", sim.ClientState{Dead: true}): canonical(dead), fmt.Sprintf("%+v", sim.ClientState{Done: true}): canonical(done), fmt.Sprintf("%+v", full): canonical(full),
	} {
		if fmt.Sprintf("%+v", got.ClientState) != want {
			t.Errorf("%+v, want %s", got.ClientState, want)
		}
	}
	if got := canonical(both); got.Done || !got.Dead {
		t.Errorf("dead and done: %+v", got)
	}
}

// TestWhatAClientCanDo: a client can step if a strand can. If requests are
// slow, one in transit does not arrive with a step.
func TestWhatAClientCanDo(t *testing.T) {
	m := newModel(t)
	idle, waiting := 0, 0
	for _, s := range m.reach(t, []history.Action{{Verb: history.Send}}, nil) {
		env := s[len(s)-1]
		for who := range m.Config.Clients {
			all, waits := m.askEnabled(who, s[who], env).steps, 0
			for _, step := range all {
				if step.waits {
					waits++
				}
			}
			if m.CanStep(who, s[who], env) != (len(all) > 0) {
				t.Fatalf("%s can step in %v: %t", m.Names[who], s, len(all) == 0)
			}
			for slow, want := range map[bool]int{false: len(all), true: len(all) - waits} {
				if steps, err := m.Steps(who, s[who], env, slow); err != nil || len(steps) != want {
					t.Fatalf("%s takes %d steps in %v, want %d; %v", m.Names[who], len(steps), s, want, err)
				}
			}
			waiting += waits
			if len(all) == 0 {
				idle++
			}
		}
	}
	if idle == 0 || waiting == 0 {
		t.Errorf("nobody was idle (%d) or waited (%d)", idle, waiting)
	}
}

// TestExecutedAtAnyTime: an execution serves another time, with its deadlines
// moved.
func TestExecutedAtAnyTime(t *testing.T) {
	m := newModel(t)
	node, set := m.node(server.NodeState{}), sim.Units([][]string{{"SET", "k", "v", "PX", "50"}})
	for _, now := range []history.Millis{7, 100} {
		after, done, err := m.execute(node, "r1", "A/0.", set, now)
		if err != nil || done[0].Changes[0].After.Deadline != now+50 || redisOf(m, after).Keys[0].State.Deadline != now+50 {
			t.Errorf("at %v: %+v, %v", now, done, err)
		}
	}
	if m.execs != 1 {
		t.Errorf("executed %d times", m.execs)
	}
	replies := map[string]bool{}
	for _, now := range []history.Millis{7, 100} {
		_, done, err := m.execute(node, "r1", "A/0.", sim.Units([][]string{{"TIME"}}), now)
		testkit.OK(t, err)
		replies[done[0].Reply] = true
	}
	if len(replies) != 2 {
		t.Errorf("what asks for the time has the replies %v", replies)
	}
}
