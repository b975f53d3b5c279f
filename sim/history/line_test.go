package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWhatALineSays: every kind of event in words, and who it is of.
func TestWhatALineSays(t *testing.T) {
	const (
		k    = `{"key":"k","before":{"type":"","value":"v"}},`
		l    = `{"key":"l","before":{"type":"","value":"v"}},`
		kept = `{"key":"new","after":{"type":"","value":""}},{"key":"kept","before":{"type":"","value":""},"after":{"type":"","value":""}}`
	)
	for _, test := range []struct{ event, want string }{
		{`{"kind":"request","client":"A","node":"r2"}`, "A: GET k is on the way"},
		{`{"kind":"apply","client":"A","thread":2,"reply":"v"}`, "A/2: GET k -> v, reply on the way"},
		{`{"kind":"apply","client":"A","outcome":"unread","reply":"v"}`, "A: GET k -> v, and nobody waits for the reply"},
		{`{"kind":"reply","client":"A","reply":"(nil)"}`, "A: GET k -> (nil)"},
		{`{"kind":"reply","client":"A","reply":"(error) NOSCRIPT No matching script."}`, "A: GET k -> (error) NOSCRIPT"},
		{`{"kind":"invoke","client":"A","op":"acquire"}`, ""},
		{`{"kind":"return","client":"A","op":"acquire","outcome":"acquired"}`, "A: acquire -> acquired"},
		{`{"kind":"return","client":"A","op":"acquire","outcome":"acquired","fence":7}`, "A: acquire -> acquired, fencing token 7"},
		{`{"kind":"fail","client":"A","op":"release","text":"EOF"}`, "A: release failed: EOF"},
		{`{"kind":"unknown","client":"A","op":"release","text":"EOF"}`, "A: release -> unknown: EOF"},
		{`{"kind":"panic","client":"A","text":"nil map"}`, "A: panicked: nil map"},
		{`{"kind":"broken","client":"A","node":"r1","op":"refused"}`, "A: r1 refuses the connection: GET k was not executed"},
		{`{"kind":"broken","client":"A","node":"r1","op":"reset"}`, "A: the connection to r1 ends before the reply to GET k"},
		{`{"kind":"timeout","client":"A","by":500}`, "A: no reply after 500ms: time-out"},
		{`{"kind":"sleep","client":"A","by":100}`, "A: sleeps 100ms"},
		{`{"kind":"now","client":"A","text":"00:00:01.000"}`, "A: reads its clock: 00:00:01.000"},
		{`{"at":5000,"kind":"clock","by":2000}`, ": time 3s -> 5s"},
		{`{"kind":"expire","node":"r1","changes":[` + k + l + kept + `]}`, "r1: k expires (was v); l expires (was v)"},
		{`{"kind":"start","client":"A","thread":1,"text":"watchdog"}`, "A/1: watchdog starts"},
		{`{"kind":"end","client":"A","thread":1,"text":"watchdog"}`, "A/1: watchdog ends"},
		{`{"kind":"new","client":"A"}`, ""},

		{`{"kind":"resource","client":"A","op":"enter"}`, "A: enters the critical section"},
		{`{"kind":"resource","client":"A","op":"leave"}`, "A: leaves the critical section"},
		{`{"kind":"resource","client":"A","op":"abandon"}`, "A: stops its work: it was told that the lease is lost"},
		{`{"kind":"resource","client":"A","op":"read","value":2,"text":"stock"}`, "A: reads stock = 2"},
		{`{"kind":"resource","client":"A","op":"write","value":1,"fence":3,"text":"stock"}`, "A: writes stock = 1, fencing token 3"},
		{`{"kind":"resource","client":"A","op":"refuse","value":1,"fence":3,"text":"stock"}`, "A: the resource refuses stock = 1, fencing token 3"},
		{`{"kind":"resource","client":"A","op":"paint"}`, "A: paint"},

		{`{"kind":"fault","client":"A","op":"crash","text":"while it sleeps"}`, "A: crashes while it sleeps"},
		{`{"kind":"fault","client":"A","op":"hang","text":"while it sleeps"}`, "A: hangs while it sleeps"},
		{`{"kind":"fault","client":"A","op":"lose-request"}`, "A: its request is lost: GET k"},
		{`{"kind":"fault","client":"A","op":"lose-reply"}`, "A: the reply to it is lost: GET k"},
		{`{"kind":"fault","client":"A","op":"late"}`, "A: a late request arrives: GET k"},
		{`{"kind":"fault","client":"A","op":"jump","by":-1500}`, "A: its clock jumps by -1.5s"},
		{`{"kind":"fault","node":"r1","op":"rate","by":250}`, "r1: its clock runs at 25.0% of true speed"},
		{`{"kind":"fault","node":"r1","op":"jump","changes":[` + k + kept + `],"by":1500}`, "r1: its clock jumps by 1.5s: it has lost k (was v)"},
		{`{"kind":"fault","client":"A","op":"rate","by":1234}`, "A: its clock runs at 123.4% of true speed"},
		{`{"kind":"fault","op":"flush"}`, ": every node forgets its scripts"},
		{`{"kind":"fault","client":"A","node":"r1","op":"cut"}`, "A: is cut off from r1"},
		{`{"kind":"fault","client":"A","node":"r1","op":"heal"}`, "A: reaches r1 again"},
		{`{"kind":"fault","node":"r1","op":"restart"}`, "r1: restarts with its data"},
		{`{"kind":"fault","node":"r1","op":"wipe","changes":[` + kept + `]}`, "r1: restarts without its data"},
		{`{"kind":"fault","node":"r1","op":"wipe","changes":[` + k + l + kept + `]}`, "r1: restarts without its data: it has lost k (was v); l (was v)"},
		{`{"kind":"fault","node":"r1","op":"down"}`, "r1: goes down"},
		{`{"kind":"fault","node":"r1","op":"up"}`, "r1: is up again"},
		{`{"kind":"fault","node":"r1","op":"slow"}`, "r1: answers too late from now on"},
		{`{"kind":"fault","node":"r1","op":"fast"}`, "r1: answers in time again"},
		{`{"kind":"fault","node":"r1","op":"promote","by":1}`, "r1: fails; its replica takes over without its last write"},
		{`{"kind":"fault","node":"r1","op":"promote","changes":[` + k + kept + `],"by":2}`, "r1: fails; its replica takes over without its last 2 writes: it has lost k (was v)"},
		{`{"kind":"fault","node":"r1","op":"melt"}`, "r1: melt"},
	} {
		e := Event{Cmds: [][]string{{"GET", "k"}}}
		if err := json.Unmarshal([]byte(test.event), &e); err != nil {
			t.Fatal(test.event, err)
		}
		got := ""
		for _, l := range Lines([]Event{e}, 1) {
			got += l.Who + ": " + l.Text.String()
		}
		if got != test.want {
			t.Errorf("%s\nreads %q\nnot   %q", test.event, got, test.want)
		}
	}
}

// TestWhatIsOneLine: a command's own events, as long as nothing comes between. Each event is
// that of the command of its number.
func TestWhatIsOneLine(t *testing.T) {
	for _, test := range []struct{ name, events, want string }{
		{"all of a command", "request 1, apply 1, reply 1", "0-2 GET k -> v"},
		{"two commands", "request 1, apply 1, reply 1, request 2", "0-2 GET k -> v; 3-3 GET k is on the way"},
		{"the same command again", "request 1, request 1", "0-0 GET k is on the way; 1-1 GET k is on the way"},
		{"from its node on", "apply 1, reply 1", "0-1 GET k -> v"},
		{"another's reply between", "request 1, reply 2, apply 1", "0-0 GET k is on the way; 1-1 GET k -> v; 2-2 GET k -> v, reply on the way"},
		{"a reply is the last", "reply 1, reply 1", "0-0 GET k -> v; 1-1 GET k -> v"},
		{"what is left out", "invoke 0, reply 1", "1-1 GET k -> v"},
	} {
		var events []Event
		for i, text := range strings.Split(test.events, ", ") {
			e := Event{Seq: i, Client: "A", Node: "r2", Cmds: [][]string{{"GET", "k"}}, Reply: "v", Source: "a.go:1"}
			_, _ = fmt.Sscan(text, &e.Kind, &e.Call)
			events = append(events, e)
		}
		var got []string
		for _, l := range Lines(events, 2) {
			text, onNode := strings.CutPrefix(l.Text.String(), "r2 ")
			if got = append(got, fmt.Sprintf("%d-%d %s", l.Seq, l.Last, text)); l.Who != "A" || l.Source != "a.go:1" || !onNode {
				t.Errorf("%s: %+v", test.name, l)
			}
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s:\n%s, not\n%s", test.name, text, test.want)
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
