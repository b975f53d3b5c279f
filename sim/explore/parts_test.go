package explore

import (
	"testing"

	"lockstep/sim"
)

// TestKeysTellStatesApart: a state that two worlds share by mistake is a
// schedule that is never tried.
func TestKeysTellStatesApart(t *testing.T) {
	client := func(change func(*clientState)) string {
		c := clientState{node: 3, threads: []threadState{{phase: onTheWay, until: 7}, {phase: answered, reply: "+OK\r\n"}}}
		change(&c)
		return c.key()
	}
	distinct(t, map[string]string{
		"as it is":        client(func(*clientState) {}),
		"another node":    client(func(c *clientState) { c.node = 4 }),
		"dead":            client(func(c *clientState) { c.dead = true }),
		"hung":            client(func(c *clientState) { c.hung = true }),
		"another clock":   client(func(c *clientState) { c.offset = 1 }),
		"another phase":   client(func(c *clientState) { c.threads[0].phase = lost }),
		"another moment":  client(func(c *clientState) { c.threads[0].until = 8 }),
		"another reply":   client(func(c *clientState) { c.threads[1].reply = "$-1\r\n" }),
		"another thread":  client(func(c *clientState) { c.threads = append(c.threads, threadState{}) }),
		"the other order": client(func(c *clientState) { c.threads[0], c.threads[1] = c.threads[1], c.threads[0] }),
	})
	env := func(change func(*envState)) string {
		late := lateRequest{0, sim.Pending{Units: [][][]string{{{"DEL", "k"}}}}}
		e := envState{now: 5, nodes: []int32{1, 2}, resource: sim.ResourceState{Value: 1}, late: []lateRequest{late}}
		change(&e)
		return e.key()
	}
	distinct(t, map[string]string{
		"as it is":           env(func(*envState) {}),
		"another moment":     env(func(e *envState) { e.now = 6 }),
		"another node":       env(func(e *envState) { e.nodes[1] = 3 }),
		"another value":      env(func(e *envState) { e.resource.Value = 0 }),
		"another version":    env(func(e *envState) { e.resource.Version = 1 }),
		"another fence":      env(func(e *envState) { e.resource.Fence = 1 }),
		"nothing late":       env(func(e *envState) { e.late = nil }),
		"another's request":  env(func(e *envState) { e.late[0].client = 1 }),
		"another command":    env(func(e *envState) { e.late[0].what.Units = [][][]string{{{"GET", "k"}}} }),
		"another connection": env(func(e *envState) { e.late[0].what.Conn = 1 }),
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
