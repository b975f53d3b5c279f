package model

import (
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
)

// TestKeysTellStatesApart: if two states shared a key, the explorer would skip
// schedules.
func TestKeysTellStatesApart(t *testing.T) {
	client := func(change func(*clientState)) string {
		c := clientState{sim.ClientState{Code: 3, Strands: []sim.Strand{{Phase: sim.OnTheWay, Until: 7}, {Phase: sim.Answered, Reply: "+OK\r\n"}}}}
		change(&c)
		return string(c.append(nil))
	}
	distinct(t, map[string]string{
		"as it is":        client(func(*clientState) {}),
		"another place":   client(func(c *clientState) { c.Code = 4 }),
		"dead":            client(func(c *clientState) { c.Dead = true }),
		"done":            client(func(c *clientState) { c.Done = true }),
		"hung":            client(func(c *clientState) { c.Hung = true }),
		"another clock":   client(func(c *clientState) { c.Clock.Ahead = 1 }),
		"another rate":    client(func(c *clientState) { c.Clock.Drift = 1 }),
		"cut off":         client(func(c *clientState) { c.Cut = 1 }),
		"another phase":   client(func(c *clientState) { c.Strands[0].Phase = sim.Lost }),
		"another moment":  client(func(c *clientState) { c.Strands[0].Until = 8 }),
		"another life":    client(func(c *clientState) { c.Strands[0].Life = 1 }),
		"another reply":   client(func(c *clientState) { c.Strands[1].Reply = "$-1\r\n" }),
		"another strand":  client(func(c *clientState) { c.Strands = append(c.Strands, sim.Strand{}) }),
		"the other order": client(func(c *clientState) { c.Strands[0], c.Strands[1] = c.Strands[1], c.Strands[0] }),
	})
	event := func(change func(*history.Event)) string {
		e := history.Event{
			Kind: history.Apply, Client: "A", Node: "r1", Value: 1,
			Changes: []history.Change{{Key: "k", After: &history.KeyState{Type: "string", Value: "A-1", Deadline: 5}}},
		}
		change(&e)
		return string(appendEvents(nil, []history.Event{e}))
	}
	distinct(t, map[string]string{
		"as it is":         event(func(*history.Event) {}),
		"another kind":     event(func(e *history.Event) { e.Kind = history.Fault }),
		"another client":   event(func(e *history.Event) { e.Client = "B" }),
		"another strand":   event(func(e *history.Event) { e.Strand = 1 }),
		"another node":     event(func(e *history.Event) { e.Node = "r2" }),
		"another op":       event(func(e *history.Event) { e.Op = "x" }),
		"another outcome":  event(func(e *history.Event) { e.Outcome = history.Refused }),
		"another value":    event(func(e *history.Event) { e.Value = 2 }),
		"another version":  event(func(e *history.Event) { e.Version = 2 }),
		"another base":     event(func(e *history.Event) { e.Based = 2 }),
		"another fence":    event(func(e *history.Event) { e.Fence = 2 }),
		"another time":     event(func(e *history.Event) { e.By = 2 }),
		"another key":      event(func(e *history.Event) { e.Changes[0].Key = "l" }),
		"another deadline": event(func(e *history.Event) { e.Changes[0].After.Deadline = 6 }),
		"one more":         event(func(*history.Event) {}) + event(func(*history.Event) {}),
	})
	env := func(change func(*envState)) string {
		late := sim.Abandoned{Want: sim.Want{Units: []sim.Unit{{Cmds: [][]string{{"DEL", "k"}}}}}}
		e := envState{now: 5, nodes: []sim.Ref{1, 2}, resource: sim.ResourceState{Value: 1}, abandoned: []sim.Abandoned{late}}
		change(&e)
		return string(e.append(nil, ^footprint(0)))
	}
	distinct(t, map[string]string{
		"as it is":           env(func(*envState) {}),
		"another moment":     env(func(e *envState) { e.now = 6 }),
		"another node":       env(func(e *envState) { e.nodes[1] = 3 }),
		"another value":      env(func(e *envState) { e.resource.Value = 0 }),
		"another version":    env(func(e *envState) { e.resource.Version = 1 }),
		"another fence":      env(func(e *envState) { e.resource.Fence = 1 }),
		"nothing late":       env(func(e *envState) { e.abandoned = nil }),
		"another's request":  env(func(e *envState) { e.abandoned[0].Client = 1 }),
		"another command":    env(func(e *envState) { e.abandoned[0].Want.Units = []sim.Unit{{Cmds: [][]string{{"GET", "k"}}}} }),
		"another connection": env(func(e *envState) { e.abandoned[0].Want.Conn = 1 }),
		"to another node":    env(func(e *envState) { e.abandoned[0].Want.Node = 1 }),
	})
}

func distinct(t *testing.T, keys map[string]string) {
	t.Helper()
	seen := map[string]string{}
	for name, key := range keys {
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have the key %q", name, other, key)
		}
		seen[key] = name
	}
}
