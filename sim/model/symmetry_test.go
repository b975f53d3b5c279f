package model

import (
	"reflect"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
)

// TestCircleText: names change where they are words, and rotations add up.
func TestCircleText(t *testing.T) {
	for _, tt := range []struct {
		names []string
		text  string
		want  string // after one rotation
	}{
		{[]string{"A", "B"}, "A-1", "B-1"},
		{[]string{"A", "B"}, "$3\r\nB-1\r\n", "$3\r\nA-1\r\n"},
		{[]string{"A", "B"}, "A/0. AB A_ _A éA A", "B/0. AB A_ _A éA B"},
		{[]string{"A", "B"}, "", ""},
		{[]string{"A", "B", "C"}, "A B C D", "B C A D"},
		{[]string{"ann", "bob"}, "ann bobby {bob}", "bob bobby {ann}"},
	} {
		c := circle(tt.names)
		if got := c.text(tt.text, 1); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
		for by := -3; by <= 3; by++ {
			if got, want := c.text(c.text(tt.text, by), 1), c.text(tt.text, by+1); got != want {
				t.Errorf("%q by %d and 1 becomes %q, want %q", tt.text, by, got, want)
			}
		}
	}
}

// TestCircleState: what waits to be read, and what is still in transit, gets other names
// too, and stays in the order of the clients.
func TestCircleState(t *testing.T) {
	c := circle{"A", "B"}
	strands := c.strands([]sim.Strand{
		{Phase: sim.Answered, Reply: "A-1", Shown: []string{"A-1"}}, {Phase: sim.Held, Reply: "B-1"}, {Phase: sim.Lost, Reply: "A-1"},
	}, 1)
	want := []sim.Strand{{Phase: sim.Answered, Reply: "B-1", Shown: []string{"B-1"}}, {Phase: sim.Held, Reply: "A-1"}, {Phase: sim.Lost, Reply: "A-1"}}
	if !reflect.DeepEqual(strands, want) {
		t.Errorf("%+v", strands)
	}
	sent := func(client int, token string) sim.Abandoned {
		return sim.Abandoned{Client: client, Want: sim.Want{Units: sim.Units([][]string{{"SET", "k", token}})}}
	}
	e := c.env(envState{abandoned: []sim.Abandoned{sent(0, "A-1"), sent(0, "A-2"), sent(1, "B-1")}}, 1)
	if got := []sim.Abandoned{sent(0, "A-1"), sent(1, "B-1"), sent(1, "B-2")}; !reflect.DeepEqual(e.abandoned, got) {
		t.Errorf("%+v", e.abandoned)
	}
}

// TestEveryPathUnderEveryName: after Verify, all code that was learned has run under each
// name.
func TestEveryPathUnderEveryName(t *testing.T) {
	c := history.Default()
	c.Strategy, c.Clients = "set-lua", []string{"A", "B", "C"}
	m := New(t.Context(), c, simtest.Subject(t, "set-lua"), false)
	defer m.Close()
	m.reach(t, nil, nil)
	l := m.learners[0]
	left := 0
	for n := range l.nodes {
		if !l.trusted(int32(n)) {
			left++
		}
	}
	if err := m.Verify(t.Context()); err != nil || left == 0 || len(m.learners) != 2 {
		t.Errorf("%d nodes to verify, %d learners, %v", left, len(m.learners), err)
	}
	for n := range l.nodes {
		if !l.trusted(int32(n)) {
			t.Errorf("node %d: only %b", n, l.nodes[n].ran)
		}
	}
}
