package history

import "testing"

func TestConflict(t *testing.T) {
	h := History{Nodes: 1, Events: []Event{
		{Seq: 0, Kind: Request, Client: "A", Call: 1, Cmds: [][]string{{"SET", "k", "A-1"}}, Source: "a.go:1"},
		{Seq: 1, Kind: Apply, Client: "A", Call: 1, Cmds: [][]string{{"SET", "k", "A-1"}}, Reply: "OK", Source: "a.go:1"},
		{Seq: 2, Kind: Reply, Client: "A", Call: 1, Cmds: [][]string{{"SET", "k", "A-1"}}, Reply: "OK", Source: "a.go:1"},
		{Seq: 3, Kind: Resource, Client: "B", Op: Enter},
		{Seq: 4, Kind: Invoke, Client: "B", Op: OpAcquire},
		{Seq: 5, Kind: Resource, Client: "B", Op: Leave},
	}}
	first, second, ok := h.Conflict(Violation{Seq: 3, Causes: []int{1, 3}})
	if !ok || first.Text.String() != "SET k A-1 -> OK" || first.Source != "a.go:1" || second.Who != "B" {
		t.Errorf("%+v, %+v, %t", first, second, ok)
	}
	for what, v := range map[string]Violation{
		"no cause":          {Seq: 3},
		"one event":         {Seq: 3, Causes: []int{3}},
		"one command":       {Seq: 2, Causes: []int{0, 2}},
		"no line":           {Seq: 4, Causes: []int{1, 4}},
		"a cause without":   {Seq: 3, Causes: []int{4}},
		"an event too many": {Seq: 9, Causes: []int{1, 9}},
	} {
		if _, _, ok := h.Conflict(v); ok {
			t.Errorf("%s: there is a pair", what)
		}
	}
}
