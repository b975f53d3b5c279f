package history

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// does is what a phrase says of somebody, by its verb.
var does = map[string]Event{
	"asks": {Kind: Invoke, Op: OpAcquire}, "returns": {Kind: Invoke, Op: OpRelease}, "is": {Kind: Return}, "fails": {Kind: Fail, Text: "reset"}, "wonders": {Kind: Unknown},
	"enters": {Kind: Resource, Op: Enter}, "leaves": {Kind: Resource, Op: Leave}, "abandons": {Kind: Resource, Op: Abandon},
	"reads": {Kind: Resource, Op: ReadOp}, "stores": {Kind: Resource, Op: WriteOp},
	"sleeps": {Kind: Sleep}, "panics": {Kind: Panic, Text: "boom"}, "stands": {Kind: Blocked, By: 410_000, Source: "x.go:1"}, "crashes": {Kind: Fault, Op: string(Crash)}, "hangs": {Kind: Fault, Op: string(Hang)}, "quits": {Kind: Fault, Op: string(Cancel)},
	"waits": {Kind: TimeOut, Node: "r1"}, "stops": {Kind: Fail, Busy: true},
	"wipes": {Kind: Fault, Op: string(Wipe)}, "restarts": {Kind: Fault, Op: string(Restart)}, "jumps": {Kind: Fault, Op: string(Jump)},
}

// told makes events of phrases. "A asks, A r1 >A, A is acquired" is what "A acquires r1" says:
// a client's command on a node changes the lock's key from one value to another, of which none
// is absent. Without a client the node does so by itself; with "missing 2" its replica does.
// "B r1 A>, with A" is given the token A, and "B r1 A" reads it. A@9000 is a value with that deadline, {a=1_b=2} a sorted set; a word behind is another key. "900 later" is a clock. "A stores 1 2 0" has the value,
// the version and that on which it is based.
func told(phrases string) (events []Event) {
	during := map[string]string{}
	list := strings.Split(phrases, ", ")
	for i := 0; i < len(list); i++ {
		w := strings.Fields(list[i])
		if len(w) == 0 {
			continue
		}
		if w[0] == "with" {
			events[len(events)-1].Token = w[1]
			continue
		}
		who, strand, _ := strings.Cut(w[0], "/")
		number := func(i int) (n int64) {
			if i < len(w) {
				n, _ = strconv.ParseInt(w[i], 10, 64)
			}
			return n
		}
		e, plain := does[w[1]]
		switch {
		case w[1] == "acquires":
			parts := []string{who + " asks"}
			for _, node := range w[2:] {
				parts = append(parts, who+" "+node+" >"+who)
			}
			list = slices.Insert(list, i+1, append(parts, who+" is acquired")...)
			continue
		case w[1] == "later":
			by, _ := strconv.Atoi(who)
			e = Event{Kind: Clock, By: Millis(by)}
		case !plain && who[0] == 'r':
			e = changes(Expire, "", w)
			if e.By = Millis(number(3)); e.By > 0 {
				e.Kind, e.Op = Fault, string(Promote)
			}
		case !plain:
			e = changes(Apply, who, w[1:])
		case who[0] == 'r':
			e.Node = who
		default:
			e.Client = who
			e.Strand, _ = strconv.Atoi(strand)
			switch e.Kind {
			case Invoke:
				during[who] = e.Op
			case Return:
				if e.Outcome = w[2]; e.Outcome == Released || e.Outcome == Lost {
					during[who] = OpRelease
				}
				fallthrough
			case Fail, Unknown: // of the operation under way
				e.Op = cmp.Or(during[who], OpAcquire)
			case Resource:
				e.Value, e.Version, e.Based = number(2), number(3), number(4)
			}
		}
		events = append(events, e)
	}
	for i := range events {
		events[i].Seq = i
	}
	return events
}

// changes is what a phrase says of a node, a change and, perhaps, a key.
func changes(kind Kind, client string, w []string) Event {
	state := func(text string) *KeyState {
		if text == "" {
			return nil
		}
		value, deadline, _ := strings.Cut(text, "@")
		at, err := strconv.Atoi(deadline)
		if err != nil {
			at = 5000
		}
		if value[0] == '{' { // a sorted set, which has no deadline
			return &KeyState{Type: "zset", Value: strings.ReplaceAll(value, "_", " ")}
		}
		return &KeyState{Type: "string", Value: value, Deadline: Millis(at)}
	}
	e := Event{Kind: kind, Client: client, Node: w[0]}
	if before, after, ok := strings.Cut(w[1], ">"); ok {
		e.Changes = []Change{{Default().Key(), state(before), state(after)}}
	} else {
		e.Token = w[1]
	}
	if len(w) == 3 {
		e.Changes[0].Key = w[2]
	}
	return e
}

// observed is a monitor that has observed phrases.
func observed(t *testing.T, config string, nodes int, phrases string) *Monitor {
	t.Helper()
	c := testkit.Must(ParseConfig("strategy=x clients=A,B,C " + config))(t)
	m := NewMonitor(c, nodes)
	for _, e := range told(phrases) {
		m.Observe(e)
	}
	return m
}

// short writes violations as "invariant@event client other [causes] detail".
func short(found []Violation) string {
	var out []string
	for _, v := range found {
		words := []string{fmt.Sprintf("%s@%d", v.Invariant, v.Seq), v.Client, v.Other, fmt.Sprint(v.Causes), v.Detail.String()}
		out = append(out, strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
	}
	return strings.Join(out, ", ")
}
