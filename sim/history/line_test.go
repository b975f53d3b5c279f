package history

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestWhatALineSays: every kind of event in words, and who it is of.
func TestWhatALineSays(t *testing.T) {
	get := [][]string{{"GET", "k"}}
	fault := func(client, node string, verb Verb, by Millis) Event {
		return Event{Kind: Fault, Client: client, Node: node, Op: string(verb), By: by, Cmds: get, Text: "while it sleeps"}
	}
	lost := func(e Event, keys ...string) Event {
		for _, key := range keys {
			e.Changes = append(e.Changes, Change{key, &KeyState{Value: "v"}, nil})
		}
		e.Changes = append(e.Changes, Change{"new", nil, &KeyState{}}, Change{"kept", &KeyState{}, &KeyState{}})
		return e
	}
	for _, test := range []struct {
		event Event
		want  string
	}{
		{Event{Kind: Request, Client: "A", Node: "r2", Cmds: get}, "A: GET k is on the way"},
		{Event{Kind: Apply, Client: "A", Strand: 2, Cmds: get, Reply: "v"}, "A/2: GET k -> v, reply on the way"},
		{Event{Kind: Apply, Client: "A", Cmds: get, Reply: "v", Outcome: Unread}, "A: GET k -> v, and nobody waits for the reply"},
		{Event{Kind: Reply, Client: "A", Cmds: get, Reply: "(nil)"}, "A: GET k -> (nil)"},
		{Event{Kind: Reply, Client: "A", Cmds: get, Reply: "(error) NOSCRIPT No matching script."}, "A: GET k -> (error) NOSCRIPT"},
		{Event{Kind: Invoke, Client: "A", Op: OpAcquire}, ""},
		{Event{Kind: Return, Client: "A", Op: OpAcquire, Outcome: Acquired}, "A: acquire -> acquired"},
		{Event{Kind: Return, Client: "A", Op: OpAcquire, Outcome: Acquired, Fence: 7}, "A: acquire -> acquired, fencing token 7"},
		{Event{Kind: Fail, Client: "A", Op: OpRelease, Text: "EOF"}, "A: release failed: EOF"},
		{Event{Kind: Unknown, Client: "A", Op: OpRelease, Text: "EOF"}, "A: release -> unknown: EOF"},
		{Event{Kind: Panic, Client: "A", Text: "nil map"}, "A: panicked: nil map"},
		{Event{Kind: Broken, Client: "A", Node: "r1", Op: NoServer, Cmds: get}, "A: r1 refuses the connection: GET k was not executed"},
		{Event{Kind: Broken, Client: "A", Node: "r1", Op: Reset, Cmds: get}, "A: the connection to r1 ends before the reply to GET k"},
		{Event{Kind: TimeOut, Client: "A", By: 500}, "A: no reply after 500ms: time-out"},
		{Event{Kind: Sleep, Client: "A", By: 100}, "A: sleeps 100ms"},
		{Event{Kind: Read, Client: "A", Text: "00:00:01.000"}, "A: reads its clock: 00:00:01.000"},
		{Event{Kind: Clock, At: 5000, By: 2000}, ": time 3s -> 5s"},
		{lost(Event{Kind: Expire, Node: "r1"}, "k", "l"), "r1: k expires (was v); l expires (was v)"},
		{Event{Kind: Start, Client: "A", Strand: 1, Text: "watchdog"}, "A/1: watchdog starts"},
		{Event{Kind: End, Client: "A", Strand: 1, Text: "watchdog"}, "A/1: watchdog ends"},
		{Event{Kind: "new", Client: "A"}, ""},

		{uses("A", Enter), "A: enters the critical section"},
		{uses("A", Leave), "A: leaves the critical section"},
		{uses("A", Abandon), "A: stops its work: it was told that the lease is lost"},
		{Event{Kind: Resource, Client: "A", Op: ReadOp, Text: "stock", Value: 2}, "A: reads stock = 2"},
		{Event{Kind: Resource, Client: "A", Op: WriteOp, Text: "stock", Value: 1, Fence: 3}, "A: writes stock = 1, fencing token 3"},
		{Event{Kind: Resource, Client: "A", Op: Refuse, Text: "stock", Value: 1, Fence: 3}, "A: the resource refuses stock = 1, fencing token 3"},
		{uses("A", "paint"), "A: paint"},

		{fault("A", "", Crash, 0), "A: crashes while it sleeps"},
		{fault("A", "", Hang, 0), "A: hangs while it sleeps"},
		{fault("A", "", LoseRequest, 0), "A: its request is lost: GET k"},
		{fault("A", "", LoseReply, 0), "A: the reply to it is lost: GET k"},
		{fault("A", "", Late, 0), "A: a late request arrives: GET k"},
		{fault("A", "", Jump, -1500), "A: its clock jumps by -1.5s"},
		{fault("", "r1", Rate, 250), "r1: its clock runs at 25.0% of true speed"},
		{lost(fault("", "r1", Jump, 1500), "k"), "r1: its clock jumps by 1.5s: it has lost k (was v)"},
		{fault("A", "", Rate, 1234), "A: its clock runs at 123.4% of true speed"},
		{fault("", "", Flush, 0), ": every node forgets its scripts"},
		{fault("A", "r1", Cut, 0), "A: is cut off from r1"},
		{fault("A", "r1", Heal, 0), "A: reaches r1 again"},
		{fault("", "r1", Restart, 0), "r1: restarts with its data"},
		{lost(fault("", "r1", Wipe, 0)), "r1: restarts without its data"},
		{lost(fault("", "r1", Wipe, 0), "k", "l"), "r1: restarts without its data: it has lost k (was v); l (was v)"},
		{fault("", "r1", Down, 0), "r1: goes down"},
		{fault("", "r1", Up, 0), "r1: is up again"},
		{fault("", "r1", Slow, 0), "r1: answers too late from now on"},
		{fault("", "r1", Fast, 0), "r1: answers in time again"},
		{fault("", "r1", Promote, 1), "r1: fails; its replica takes over without its last write"},
		{lost(fault("", "r1", Promote, 2), "k"), "r1: fails; its replica takes over without its last 2 writes: it has lost k (was v)"},
		{fault("", "r1", "melt", 0), "r1: melt"},
	} {
		got := ""
		for _, l := range Lines([]Event{test.event}, 1) {
			got += l.Who + ": " + l.Text.String()
		}
		if got != test.want {
			t.Errorf("%+v\nreads %q\nnot   %q", test.event, got, test.want)
		}
	}
}

// TestWhatIsOneLine: a command's own events, as long as nothing comes between.
func TestWhatIsOneLine(t *testing.T) {
	type said struct {
		seq, last         int
		who, text, source string
	}
	event := func(kind Kind, call int) Event {
		return Event{Kind: kind, Client: "A", Node: "r2", Call: call, Cmds: [][]string{{"GET", "k"}}, Reply: "v", Source: "a.go:1"}
	}
	for _, test := range []struct {
		name   string
		events []Event
		want   []said
	}{
		{"all of a command", []Event{event(Request, 1), event(Apply, 1), event(Reply, 1)}, []said{{0, 2, "A", "r2 GET k -> v", "a.go:1"}}},
		{"two commands", []Event{event(Request, 1), event(Apply, 1), event(Reply, 1), event(Request, 2)},
			[]said{{0, 2, "A", "r2 GET k -> v", "a.go:1"}, {3, 3, "A", "r2 GET k is on the way", "a.go:1"}}},
		{"the same command again", []Event{event(Request, 1), event(Request, 1)}, []said{{0, 0, "A", "r2 GET k is on the way", "a.go:1"}, {1, 1, "A", "r2 GET k is on the way", "a.go:1"}}},
		{"from its node on", []Event{event(Apply, 1), event(Reply, 1)}, []said{{0, 1, "A", "r2 GET k -> v", "a.go:1"}}},
		{"another's reply between", []Event{event(Request, 1), event(Reply, 2), event(Apply, 1)}, []said{
			{0, 0, "A", "r2 GET k is on the way", "a.go:1"}, {1, 1, "A", "r2 GET k -> v", "a.go:1"}, {2, 2, "A", "r2 GET k -> v, reply on the way", "a.go:1"}}},
		{"a reply is the last", []Event{event(Reply, 1), event(Reply, 1)}, []said{{0, 0, "A", "r2 GET k -> v", "a.go:1"}, {1, 1, "A", "r2 GET k -> v", "a.go:1"}}},
		{"what is left out", []Event{{Kind: Invoke, Client: "A"}, event(Reply, 1)}, []said{{1, 1, "A", "r2 GET k -> v", "a.go:1"}}},
	} {
		for i := range test.events {
			test.events[i].Seq = i
		}
		var got []said
		for _, l := range Lines(test.events, 2) {
			got = append(got, said{l.Seq, l.Last, l.Who, l.Text.String(), l.Source})
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n%+v, not\n%+v", test.name, got, test.want)
		}
	}
}

func TestCommandText(t *testing.T) {
	for text, want := range map[string]string{
		"SET k v nx px 50":              "SET k v NX PX 50",
		"SET nx px Ex xx":               "SET nx px EX XX",
		"SET k v keepttl get ifeq v":    "SET k v KEEPTTL GET IFEQ v",
		"DELEX k ifeq ifeq":             "DELEX k IFEQ ifeq",
		"DELEX ifne ifne a":             "DELEX ifne IFNE a",
		"GETEX k ex 5":                  "GETEX k ex 5",
		"EVAL return_1 1 return_1 nx":   "EVAL {script} 1 return_1 nx",
		"EVALSHA e0e1f9fabf 1 k e0e1f9": "EVALSHA {e0e1f9} 1 k e0e1f9",
		"EVALSHA abc 0":                 "EVALSHA {abc} 0",
		"PING":                          "PING",
	} {
		if got := CommandText([][]string{strings.Fields(text)}); got != want {
			t.Errorf("%s reads %q, not %q", text, got, want)
		}
	}
	if got := CommandText([][]string{{"MULTI"}, {"GET", "k"}, {"EXEC"}}); got != "MULTI; GET k; EXEC" {
		t.Error(got)
	}
}

// TestEveryVerbIsNamed: an action with an unknown verb says which there are.
func TestEveryVerbIsNamed(t *testing.T) {
	_, err := ParseAction("A.paint")
	if err == nil {
		t.Fatal("A.paint is an action")
	}
	for _, v := range Verbs() {
		if slices.Contains([]Verb{Step, Flush, Advance, Tick}, v) { // these have a form of their own
			continue
		}
		if client, node := (Action{Verb: v}).Concerns(); !client && !node || !slices.Contains(strings.Fields(strings.ReplaceAll(err.Error(), ",", "")), string(v)) {
			t.Errorf("%s is missing: %v", v, err)
		}
	}
}
