package server

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
)

// conversations are what Redis replies to the commands of locks where miniredis
// would reply otherwise, or where a correction could go wrong. On each line a
// connection, A to C, sends a command, and what comes back stands behind =>.
// @51 lets time pass to 51 ms; it begins at 1 ms. In a command, ms:51 is a moment
// as a Unix time in milliseconds, s:2 one in seconds, and quotes are Go's.
var conversations = []struct{ name, text string }{
	{"a watched EXEC after FLUSHALL", `
		A SET k v => OK
		A WATCH k => OK
		B FLUSHALL => OK
		A MULTI => OK
		A SET k w => QUEUED
		A EXEC => nil
		A GET k => nil`},
	{"a watched EXEC after FLUSHDB", `
		A HSET h f v => 1
		A WATCH h => OK
		B FLUSHDB => OK
		A MULTI => OK
		A EXEC => nil`},
	{"a watched EXEC after the FLUSHALL of a script", `
		A SET k v => OK
		A WATCH k => OK
		B EVAL "return redis.call('FLUSHALL')" 0 => OK
		A MULTI => OK
		A EXEC => nil`},
	{"FLUSHALL of nothing that is watched", `
		A WATCH k => OK
		B SET n 1 => OK
		B FLUSHALL => OK
		A MULTI => OK
		A EXEC => []`},
	{"the options of FLUSHALL", `
		A SET k v => OK
		A FLUSHALL what => (error) ERR syntax error
		A FLUSHALL ASYNC SYNC => (error) ERR syntax error
		A GET k => v
		A FLUSHALL async => OK
		A GET k => nil
		A FLUSHDB SYNC => OK`},
	{"a deadline", `
		A SET k v PX 50 => OK
		A HSET h f v => 1
		A PEXPIRE h 50 => 1
		@51
		A EXISTS k => 1
		A EXISTS h => 1
		A PTTL k => 0
		A GET k => v
		A SET k w NX => nil
		@52
		A EXISTS k => 0
		A EXISTS h => 0
		A PTTL k => -2
		A SET k w NX => OK`},
}

// A said is one line of a conversation.
type said struct {
	line
	want string
}

// conversation reads one.
func conversation(t *testing.T, text string) (list []said) {
	t.Helper()
	for row := range strings.Lines(strings.TrimSpace(text)) {
		row = strings.TrimSpace(row)
		if at, ok := strings.CutPrefix(row, "@"); ok {
			now, err := strconv.Atoi(at)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, said{line: line{at: history.Millis(now)}})
			continue
		}
		cmd, want, ok := strings.Cut(row, " => ")
		if !ok {
			t.Fatalf("%q has no reply", row)
		}
		l := line{conn: int(cmd[0] - 'A')}
		l.cmds = [][]string{words(t, cmd[2:])}
		list = append(list, said{l, want})
	}
	return list
}

// words are those of a command.
func words(t *testing.T, cmd string) (list []string) {
	t.Helper()
	for cmd = strings.TrimSpace(cmd); cmd != ""; cmd = strings.TrimSpace(cmd) {
		if quoted, err := strconv.QuotedPrefix(cmd); err == nil {
			word, _ := strconv.Unquote(quoted) // it is quoted
			list, cmd = append(list, word), cmd[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(cmd, " ")
		for prefix, unit := range map[string]int64{"ms:": 1, "s:": 1000} {
			if at, ok := strings.CutPrefix(word, prefix); ok {
				n, err := strconv.ParseInt(at, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				word = strconv.FormatInt(sim.Epoch.UnixMilli()/unit+n, 10)
			}
		}
		list, cmd = append(list, word), rest
	}
	return list
}

func script(list []said) []line {
	lines := make([]line, len(list))
	for i := range list {
		lines[i] = list[i].line
	}
	return lines
}

// hold says where replies are not those of a conversation.
func hold(t *testing.T, who string, list []said, replies []string) {
	t.Helper()
	lines := script(list)
	for i, l := range list {
		if got := replyText([]byte(replies[i])); len(l.cmds) > 0 && got != l.want {
			t.Fatalf("%s says %s, not %s:\n%s", who, got, l.want, sides{who, who}.transcript(lines[:i+1], replies, replies))
		}
	}
}

// TestReplies: what nodes reply, those that live and those that are stored and
// loaded at each line.
func TestReplies(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			list := conversation(t, c.text)
			hold(t, "a node", list, inWorld(t, script(list)))
			if replies, ok := inStates(t, script(list)); ok {
				hold(t, "a stored node", list, replies)
			} else if !slices.ContainsFunc(list, func(l said) bool { return len(l.cmds) > 0 && l.cmds[0][0] == "MULTI" }) {
				t.Error("it cannot be played on stored nodes")
			}
		})
	}
}

// TestConformanceOfReplies: Redis says what the table says.
func TestConformanceOfReplies(t *testing.T) {
	b := newBench(t)
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			list := conversation(t, c.text)
			hold(t, "Redis", list, b.onRedis(t, script(list)))
		})
	}
}
