package server

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// listed are the differences from Redis in docs/real.md, each with a script
// that shows it. The generator may write scripts with those that normal
// removes; it does not write the others.
var listed = []struct {
	name       string
	script     []line
	normalised bool
}{
	{name: "lua-messages", script: sent([]string{"EVAL", "return 1 +", "0"}), normalised: true},
	{name: "lua-messages", script: sent([]string{"EVAL", "return {} + 1", "0"}), normalised: true},
	{name: "hash-order", script: sent([]string{"HSET", "h", "g", "1", "f", "2"}, []string{"HGETALL", "h"}), normalised: true},
	{name: "lua-numbers", script: sent([]string{"EVAL", "return tonumber(ARGV[1]) / 1e18", "0", "99999999999999999999"})},
	{name: "pcall-arguments", script: sent([]string{"EVAL", "return redis.pcall('GET', {}) and 1", "0"})},
	{name: "far-deadline", script: sent([]string{"SET", "k", "v", "PX", "9223372036855"}, []string{"PTTL", "k"})},
	{name: "score-digits", script: sent([]string{"ZADD", "z", "0.1", "a"}, []string{"ZSCORE", "z", "a"})},
	{name: "score-digits", script: sent([]string{"ZINCRBY", "z", "-0", "a"})},
	{name: "missing-commands", script: sent([]string{"CONFIG", "GET", "maxmemory"})},
	{name: "deadline-at-the-beginning", script: []line{
		{at: 0}, {cmds: [][]string{{"SET", "k", "v", "PXAT", "1767268800000"}}},
		{at: 1}, {cmds: [][]string{{"PTTL", "k"}}},
	}},
}

// sent returns a script of one connection.
func sent(cmds ...[]string) (script []line) {
	for _, cmd := range cmds {
		script = append(script, line{cmds: [][]string{cmd}})
	}
	return script
}

// TestListedDifferences fails if a listed difference has disappeared, or if
// docs/real.md lacks it.
func TestListedDifferences(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/real.md"))(t)
	for _, d := range listed {
		if !strings.Contains(string(page), "| "+d.name+" |") {
			t.Errorf("docs/real.md does not list %s", d.name)
		}
	}
	b := newBench(t)
	between := sides{"redis", "world"}
	for _, d := range listed {
		real, other := b.onRedis(t, d.script), onNode(d.script)
		if between.differ(d.script, real, other) == "" {
			t.Errorf("%s is listed, but there is no difference:\n%s", d.name, between.transcript(d.script, real, other))
		}
		if text := between.differ(d.script, normal(d.script, real), normal(d.script, other)); d.normalised != (text == "") {
			t.Errorf("%s, normalised (%t):\n%s", d.name, d.normalised, text)
		}
	}
}

// normal rewrites replies to remove the differences that no lock can notice.
func normal(script []line, replies []string) []string {
	out := make([]string, len(replies))
	var queued [connections][]string
	for i, reply := range replies {
		conn := script[i].conn
		for _, cmd := range script[i].cmds {
			var one string
			one, reply = cut(reply)
			if one == "+QUEUED\r\n" {
				queued[conn] = append(queued[conn], cmd[0])
			}
			if cmd[0] == "EXEC" && strings.HasPrefix(one, fmt.Sprintf("*%d\r\n", len(queued[conn]))) {
				head, rest, _ := strings.Cut(one, "\r\n")
				for _, name := range queued[conn] {
					var part string
					part, rest = cut(rest)
					head += normalReply(name, part)
				}
				one = head
			} else {
				one = normalReply(cmd[0], one)
			}
			if cmd[0] == "EXEC" || cmd[0] == "DISCARD" {
				queued[conn] = nil
			}
			out[i] += one
		}
	}
	return out
}

// unordered are commands whose reply has the order of a hash table.
var unordered = map[string]bool{"HKEYS": true, "HVALS": true, "SMEMBERS": true, "SUNION": true, "SINTER": true, "SDIFF": true}

// luaText matches Lua's own messages, which differ between implementations.
var luaText = regexp.MustCompile(`(-ERR Error compiling script \(new function\):|-ERR user_script:\d+:)[^\r]*\r\n`)

// normalReply sorts what may be the pairs of a hash: an array of strings that
// is not a reply to EXEC.
func normalReply(name, reply string) string {
	if reply == "" || reply[0] != '*' || reply[1] == '-' {
		return luaText.ReplaceAllString(reply, "$1 ...\r\n")
	}
	head, rest, _ := strings.Cut(reply, "\r\n")
	var parts []string
	flat := name != "EXEC"
	for rest != "" {
		var part string
		part, rest = cut(rest)
		flat = flat && part[0] == '$'
		parts = append(parts, normalReply("", part))
	}
	if unordered[name] {
		slices.Sort(parts)
	} else if flat && len(parts)%2 == 0 {
		pairs := slices.Collect(slices.Chunk(parts, 2))
		slices.SortFunc(pairs, slices.Compare[[]string])
		parts = slices.Concat(pairs...)
	}
	return head + "\r\n" + strings.Join(parts, "")
}
