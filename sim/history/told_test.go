package history

import (
	"fmt"
	"slices"
	"testing"
)

// What a history is told of in these tests: who does what, and what becomes of
// the lock's key.

func invoke(client, op string) Event { return Event{Kind: Invoke, Client: client, Op: op} }

func returns(client, op, outcome string) Event {
	return Event{Kind: Return, Client: client, Op: op, Outcome: outcome}
}

func fails(client, op string) Event { return Event{Kind: Fail, Client: client, Op: op, Text: "reset"} }

func uses(client, op string) Event { return Event{Kind: Resource, Client: client, Op: op} }

func stores(client string, value, version, based int64) Event {
	return Event{Kind: Resource, Client: client, Op: WriteOp, Value: value, Version: version, Based: based}
}

func faulty(client string, verb Verb) Event {
	return Event{Kind: Fault, Client: client, Op: string(verb)}
}

// onNode is a command of a client, or what a node does by itself, that makes
// of the lock's key what after says; "" is absent.
func onNode(node, client, before, after string) Event {
	state := func(value string) *KeyState {
		if value == "" {
			return nil
		}
		return &KeyState{Type: "string", Value: value, Deadline: 5000}
	}
	e := Event{Kind: Apply, Client: client, Node: node, Changes: []Change{{Default().Key(), state(before), state(after)}}}
	if client == "" {
		e.Kind = Expire
	}
	return e
}

func renews(client, value string, from, to Millis) Event {
	return Event{Kind: Apply, Client: client, Node: "r1", Changes: []Change{{
		Default().Key(), &KeyState{"string", value, from}, &KeyState{"string", value, to}}}}
}

// acquires is all of an acquisition that creates the key on the given nodes.
func acquires(client string, nodes ...string) []Event {
	events := []Event{invoke(client, OpAcquire)}
	for _, node := range nodes {
		events = append(events, onNode(node, client, "", client))
	}
	return append(events, returns(client, OpAcquire, Acquired))
}

func historyOf(t *testing.T, config string, nodes int, parts ...[]Event) History {
	t.Helper()
	c, err := ParseConfig("strategy=x clients=A,B,C " + config)
	if err != nil {
		t.Fatal(err)
	}
	events := slices.Concat(parts...)
	for i := range events {
		events[i].Seq = i
	}
	return History{Config: c, Nodes: nodes, Events: events}
}

// short writes violations as "invariant@event client other [causes] detail".
func short(found []Violation) []string {
	var out []string
	for _, v := range found {
		text := fmt.Sprintf("%s@%d %s", v.Invariant, v.Seq, v.Client)
		if v.Other != "" {
			text += " " + v.Other
		}
		text += fmt.Sprint(" ", v.Causes)
		if !v.Detail.None() {
			text += " " + v.Detail.String()
		}
		out = append(out, text)
	}
	return out
}
