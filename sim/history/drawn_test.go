package history

import "testing"

// TestCompares: what a command was given behind the lock's key and has changed; what SET
// writes does not count, and the key may be the last word.
func TestCompares(t *testing.T) {
	const key = "lock:stock"
	held := Change{Key: key, Before: &KeyState{Type: "string", Value: "T"}}
	for _, test := range []struct {
		cmds [][]string
		ch   []Change
		want string
	}{
		{[][]string{{"EVAL", "script", "1", key, "T"}}, []Change{held}, "T"},
		{[][]string{{"DELEX", key, "IFEQ", "T"}}, []Change{held}, "T"},
		{[][]string{{"EVAL", "script", "1", key, "U"}}, []Change{held}, ""},
		{[][]string{{"EVAL", "script", "1", key, "T"}}, nil, ""},
		{[][]string{{"DEL", key}}, []Change{held}, ""},
		{[][]string{{"SET", key, "T"}}, []Change{held}, ""},
		{[][]string{{"SET", key, "U", "IFEQ", "T"}}, []Change{held}, "T"},
		{[][]string{{"DEL", key}, {"SET", "last", key}}, []Change{held}, ""},
		// A field is named for what it is, or for who has it: then it counts.
		{[][]string{{"HDEL", key, "owner"}}, []Change{{Key: key, Before: &KeyState{Type: "hash", Value: "{owner=a7f3c2}"}}}, ""},
		{[][]string{{"EVAL", "script", "1", key, "a7f3c2"}}, []Change{{Key: key, Before: &KeyState{Type: "hash", Value: "{owner=a7f3c2}"}}}, "a7f3c2"},
		{[][]string{{"HDEL", key, "a7f3c2"}}, []Change{{Key: key, Before: &KeyState{Type: "hash", Value: "{a7f3c2=1}"}}}, "a7f3c2"},
	} {
		e := Event{Kind: Apply, Cmds: test.cmds, Changes: test.ch}
		if got := e.Compares(key); got != test.want {
			t.Errorf("%v: %q, want %q", test.cmds, got, test.want)
		}
	}
}
