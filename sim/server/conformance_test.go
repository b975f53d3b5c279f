package server

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

func shaOf(script string) string {
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}

// start is when scripts begin. It is not 0, because a deadline of 0 means none;
// see the difference deadline-at-the-beginning.
const start = history.Millis(1)

// A bench runs scripts on a real Redis and on a node.
type bench struct {
	real   *realRedis
	conns  [connections]*realConn
	redis8 bool // it has DELEX
}

func newBench(t testing.TB) *bench {
	b := &bench{real: startRedis(t)}
	for i := range b.conns {
		b.conns[i] = b.real.dial(t)
	}
	b.redis8 = replyText(b.conns[0].do(t, []string{"COMMAND", "INFO", "DELEX"})) != "[nil]"
	if !b.redis8 {
		t.Logf("Redis %s has no DELEX: it is left out", b.real.version)
	}
	return b
}

// onRedis returns the replies to each line. Consecutive commands of a
// connection go in one write.
func (b *bench) onRedis(t testing.TB, script []line) []string {
	b.conns[0].do(t, []string{"RESET"}, []string{"FLUSHALL"}, []string{"SCRIPT", "FLUSH"})
	for _, conn := range []int{1, 2} {
		if slices.ContainsFunc(script, func(l line) bool { return l.conn == conn }) {
			b.conns[conn].do(t, []string{"RESET"})
		}
	}
	b.real.setTime(t, start)
	replies := make([]string, len(script))
	for i := 0; i < len(script); {
		if len(script[i].cmds) == 0 {
			b.real.setTime(t, script[i].at)
			i++
			continue
		}
		first, cmds := i, [][]string(nil)
		for i < len(script) && len(script[i].cmds) > 0 && script[i].conn == script[first].conn {
			cmds = append(cmds, script[i].cmds...)
			i++
		}
		rest := string(b.conns[script[first].conn].do(t, cmds...))
		for j, l := range script[first:i] {
			for range l.cmds {
				var one string
				one, rest = cut(rest)
				replies[first+j] += one
			}
		}
	}
	return replies
}

// do executes commands that arrive over a connection.
func (s *NodeState) do(conn string, cmds [][]string, now history.Millis) ([]sim.Executed, error) {
	after, done, err := s.Execute("r1", conn, sim.Units(cmds), now)
	if err == nil {
		*s = after.(NodeState)
	}
	return done, err
}

// onNode returns a node's replies to each line.
func onNode(script []line) []string {
	var s NodeState
	now := start
	replies := make([]string, len(script))
	for i, l := range script {
		if len(l.cmds) == 0 {
			now = l.at
			s, _ = s.Expire(now)
			continue
		}
		done, err := s.do(strconv.Itoa(l.conn), l.cmds, now)
		for _, x := range done {
			replies[i] += string(x.Raw)
		}
		if err != nil {
			replies[i] = fmt.Sprintf("-%v\r\n", err)
		}
	}
	return replies
}

// unsaid matches what a node says of a line with a word that it does not know.
var unsaid = regexp.MustCompile(`^-.* is not simulated`)

// compare runs a script on both sides and returns the difference. Redis 7 gives an error where
// the node says that it does not know a word, or there is one among the results of EXEC; what
// follows is left out.
func (b *bench) compare(t testing.TB, script []line) string {
	real, node := b.onRedis(t, script), onNode(script)
	between := sides{"redis", "node"}
	if at := slices.IndexFunc(node, unsaid.MatchString); at >= 0 {
		if !strings.Contains("\n"+real[at], "\n-") {
			return between.transcript(script[:at+1], real, node)
		}
		script, real, node = script[:at], real[:at], node[:at]
	}
	return between.differ(script, normal(script, real), normal(script, node))
}

// TestConformance runs random scripts on a real redis-server and on a node with
// the same clock, and compares all replies to the byte, except for the listed
// differences.
func TestConformance(t *testing.T) {
	runs, shards := testkit.Size(t, 400, 100), runtime.GOMAXPROCS(0)
	for shard := range shards {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			done := 0
			for seed := shard; seed < runs; seed += shards {
				b.check(t, rand.NewPCG(uint64(seed), 0), fmt.Sprint("seed ", seed))
				done++
			}
			t.Logf("%d scripts agree with Redis %s", done, b.real.version)
		})
	}
}

// check fails with the shortest script that still differs.
func (b *bench) check(t testing.TB, source rand.Source, name string) {
	t.Helper()
	script := newGenerator(source, b.redis8).script()
	if b.compare(t, script) != "" {
		less := shrink(script, func(l *line) *[][]string { return &l.cmds }, func(s []line) bool { return b.compare(t, s) != "" })
		t.Fatalf("%s: %s", name, b.compare(t, less))
	}
}

// FuzzConformance lets the fuzzer choose the generator's numbers.
func FuzzConformance(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a lock's life"))
	b := newBench(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		b.check(t, &chosen{choices, rand.NewPCG(1, uint64(len(choices)))}, "this input")
	})
}

// chosen is a source of the fuzzer's numbers, followed by random ones.
type chosen struct {
	choices []byte
	rest    rand.Source
}

func (c *chosen) Uint64() uint64 {
	if len(c.choices) == 0 {
		return c.rest.Uint64()
	}
	b := c.choices[0]
	c.choices = c.choices[1:]
	return uint64(b) * 0x0101010101010101
}

// TestWords sends each command of Redis with none to seven words: where a node says that the
// number is wrong, Redis gives an error too, and the other way round. So a lock that sends it is
// judged by what Redis does. It leaves out commands that wait or end the connection.
func TestWords(t *testing.T) {
	b := newBench(t)
	list, _, err := resp.Parse(b.conns[0].do(t, []string{"COMMAND", "LIST"}))
	testkit.OK(t, err)
	others, wrong, compared := setOf("QUIT RESET MONITOR SHUTDOWN HELLO AUTH"), "-ERR wrong number of arguments", 0
	for _, item := range list.Items {
		name := strings.ToUpper(item.Text)
		if others[name] || strings.HasPrefix(name, "B") || strings.Contains(name, "SUBSCRIBE") {
			continue
		}
		for words := range 8 {
			cmd := append([]string{name}, slices.Repeat([]string{"1"}, words)...)
			node := onNode(sent(cmd))[0]
			if unsaid.MatchString(node) {
				continue
			}
			compared++
			real := b.onRedis(t, sent(cmd))[0]
			if strings.HasPrefix(node, wrong) && real[0] != '-' || strings.HasPrefix(real, wrong) && node[0] != '-' {
				t.Errorf("%q: Redis says %q, a node %q", cmd, real, node)
			}
		}
	}
	if compared < 700 {
		t.Errorf("%d commands were compared", compared)
	}
}
