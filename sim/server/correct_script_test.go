package server

import (
	"strings"
	"testing"
)

// TestRememberedScripts: a node keeps the scripts that it has loaded. Only
// miniredis decides what it finds and what it refuses.
func TestRememberedScripts(t *testing.T) {
	const one = "return 1"
	for _, row := range []struct {
		name string
		cmds [][]string
		want string // how the last reply begins
	}{
		{"run again", [][]string{{"EVAL", one, "0"}, {"EVAL", one, "0"}}, ":1"},
		{"by name", [][]string{{"EVAL", one, "0"}, {"EVALSHA", shaOf(one), "0"}}, ":1"},
		{"loaded again", [][]string{{"EVAL", one, "0"}, {"SCRIPT", "LOAD", one}}, "$40\r\n" + shaOf(one)},
		{"forgotten", [][]string{{"EVAL", one, "0"}, {"SCRIPT", "FLUSH"}, {"EVALSHA", shaOf(one), "0"}}, "-NOSCRIPT"},
		{"run after it was forgotten", [][]string{{"EVAL", one, "0"}, {"SCRIPT", "FLUSH"}, {"EVAL", one, "0"}, {"EVALSHA", shaOf(one), "0"}}, ":1"},
		{"loaded by a script", [][]string{{"EVAL", one, "0"}, {"EVAL", "return redis.pcall('SCRIPT', 'LOAD', ARGV[1])", "0", one}}, "-ERR This Redis command is not allowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			replies := onNode(sent(row.cmds...))
			if last := replies[len(replies)-1]; !strings.HasPrefix(last, row.want) {
				t.Errorf("%q, want %q ...", last, row.want)
			}
		})
	}
}
