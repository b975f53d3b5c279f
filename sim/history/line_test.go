package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestWhatALineSays: every kind of event in words, and who it is of.
func TestWhatALineSays(t *testing.T) {
	changes := strings.NewReplacer(
		"KEPT", `{"key":"new","after":{"type":"","value":""}},{"key":"kept","before":{"type":"","value":""},"after":{"type":"","value":""}}`,
		"K,", `{"key":"k","before":{"type":"","value":"v"}},`, "L,", `{"key":"l","before":{"type":"","value":"v"}},`)
	for _, row := range testkit.Rows(t, "testdata/lines.txt", 2) {
		e := Event{Cmds: [][]string{{"GET", "k"}}}
		if err := json.Unmarshal([]byte(changes.Replace(row[0])), &e); err != nil {
			t.Fatal(row[0], err)
		}
		got := ""
		for _, l := range Lines([]Event{e}, 1) {
			got += l.Who + ": " + l.Text.String()
		}
		if got != row[1] {
			t.Errorf("%s\nreads %q\nnot   %q", row[0], got, row[1])
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
