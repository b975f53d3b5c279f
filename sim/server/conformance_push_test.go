package server

import (
	"fmt"
	"math/rand/v2"
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

// This file compares what a server sends unasked: messages, and replies to the
// commands that it holds.

// A pushLine is a line of a script in which a connection may also end.
type pushLine struct {
	line
	ends bool
}

// heard is what came over each connection after a line.
type heard [connections]string

func connName(conn int) string { return strconv.Itoa(conn) + "." }

// A pushBench runs such scripts on a real Redis and on a node.
type pushBench struct {
	real  *realRedis
	admin *realConn
	conns [connections]*realConn
	ids   [connections]string
}

func newPushBench(t testing.TB) *pushBench {
	b := &pushBench{real: startRedis(t)}
	b.admin = b.real.dial(t)
	for i := range b.conns {
		b.connect(t, i)
	}
	return b
}

func (b *pushBench) connect(t testing.TB, i int) {
	b.conns[i] = b.real.dial(t)
	b.ids[i] = strings.Trim(string(b.conns[i].do(t, []string{"CLIENT", "ID"})), ":\r\n")
}

// settle waits until the server has sent all: a command is answered in one turn
// of the server's loop, and the next command in a later turn.
func (b *pushBench) settle(t testing.TB) {
	b.admin.do(t, []string{"PING"})
	b.admin.do(t, []string{"PING"})
}

// onRedis returns what came over each connection after each line.
func (b *pushBench) onRedis(t testing.TB, script []pushLine) []heard {
	b.real.setTime(t, start)
	for i := range b.conns {
		b.end(t, i)
	}
	b.admin.do(t, []string{"FLUSHALL"})
	all := make([]heard, len(script))
	for i, l := range script {
		switch {
		case l.ends:
			b.end(t, l.conn)
		case len(l.cmds) == 0:
			b.real.setTime(t, l.at)
		default:
			var request []byte
			for _, cmd := range l.cmds {
				request = resp.AppendCommand(request, cmd)
			}
			testkit.Must(b.conns[l.conn].Write(request))(t)
		}
		b.settle(t)
		for j := range all[i] {
			all[i][j] = b.conns[j].available(t)
		}
	}
	return all
}

// end ends a connection and begins another.
func (b *pushBench) end(t testing.TB, i int) {
	// 0 is one that the server has ended already.
	if killed := string(b.admin.do(t, []string{"CLIENT", "KILL", "ID", b.ids[i]})); killed != ":1\r\n" && killed != ":0\r\n" {
		t.Fatalf("connection %d is not killed: %q", i, killed)
	}
	b.conns[i].Close()
	b.connect(t, i)
}

// A pushNode is a node under test. It executes each line at another moment, as in the
// explorer.
type pushNode struct {
	NodeState
	shift history.Millis
}

func (n *pushNode) execute(t testing.TB, conn string, units []sim.Unit, now history.Millis) []sim.Executed {
	t.Helper()
	after, done, err := n.NodeState.Shift(n.shift).Execute("r1", conn, units, now+n.shift)
	testkit.OK(t, err)
	n.NodeState = after.Shift(-n.shift).(NodeState)
	return done
}

// begin returns what units do as far as none of them waits, and an error if the node
// would refuse to execute that.
func (n *pushNode) begin(t testing.TB, conn string, units []sim.Unit, now history.Millis) (done []sim.Executed, err error) {
	e := testkit.Must(n.load("r1", now))(t)
	defer e.end()
	done = e.executeAll(conn, units)
	return done, e.complete(done, units[:len(done)])
}

func (n *pushNode) pass(now history.Millis) []sim.Message {
	after, did := n.Pass(now)
	n.NodeState = after.(NodeState)
	return did.Sent
}

func (n *pushNode) end(conn string) {
	n.NodeState = n.Forget(func(c string) bool { return c == conn }).(NodeState)
}

func (n *pushNode) waits(conn string) bool {
	return slices.ContainsFunc(n.Blocked, func(b Blocked) bool { return b.Conn == conn })
}

// possible returns the script without what a real client cannot do or a world
// does not: a command over a connection whose last command the node holds, and
// what follows that in one write.
func possible(t testing.TB, script []pushLine) []pushLine {
	var node pushNode
	now := start
	var can []pushLine
	for _, l := range script {
		conn := connName(l.conn)
		switch {
		case l.ends:
			node.end(conn)
		case len(l.cmds) == 0:
			if l.at < now {
				continue
			}
			now = l.at
			node.pass(now)
		case node.waits(conn):
			continue
		default:
			units := sim.Units(l.cmds)
			done, err := node.begin(t, conn, units, now)
			if err != nil {
				return can // MULTI was refused
			}
			node.execute(t, conn, units[:len(done)], now)
			if len(done) < len(units) {
				n := 0
				for _, u := range units[:len(done)] {
					n += len(u.Cmds)
				}
				l.cmds = l.cmds[:n]
			}
		}
		can = append(can, l)
	}
	return can
}

// onNode returns what came over each connection after each line, and what is
// wrong with that.
func (n *pushNode) onNode(t testing.TB, script []pushLine) (all []heard, wrong string) {
	all = make([]heard, len(script))
	now := start
	for i, l := range script {
		out := &all[i]
		var sent []sim.Message
		switch {
		case l.ends:
			n.end(connName(l.conn))
		case len(l.cmds) == 0:
			now = l.at
			sent = n.pass(now)
		default:
			for _, x := range n.execute(t, connName(l.conn), sim.Units(l.cmds), now) {
				out[l.conn] += string(x.Raw)
				if x.Held && len(x.Raw) > 0 {
					wrong = fmt.Sprintf("a held command has the reply %q", x.Raw)
				}
				sent = append(sent, x.Sent...)
			}
		}
		for conn := range out {
			for _, msg := range sent {
				if msg.Conn != connName(conn) {
					continue
				}
				next, there := n.Unread(msg.Conn)
				if n.NodeState = n.Take(msg.Conn).(NodeState); !there || next.Raw != msg.Raw || next.Text != msg.Text {
					wrong = fmt.Sprintf("of %q, %q can be read", msg.Raw, next.Raw)
				}
				out[conn] += msg.Raw
			}
			if next, there := n.Unread(connName(conn)); there {
				wrong = fmt.Sprintf("%q can be read, and was not sent", next.Raw)
			}
		}
	}
	return all, wrong
}

// compare runs a script on all sides and returns the difference.
func (b *pushBench) compare(t testing.TB, script []pushLine) string {
	script = possible(t, script)
	real := b.onRedis(t, script)
	heard, wrong := (&pushNode{shift: 12345}).onNode(t, script)
	if wrong != "" {
		return wrong
	}
	return differ(script, "redis", "node", normalised(real), normalised(heard))
}

// differ returns a transcript to the first difference; "" if there is none.
func differ(script []pushLine, this, that string, these, those []heard) string {
	var b strings.Builder
	now := start
	for i, l := range script {
		switch {
		case l.ends:
			fmt.Fprintf(&b, "# %c ends\n", 'A'+rune(l.conn))
		case len(l.cmds) == 0:
			fmt.Fprintf(&b, "# time %v -> %v\n", now, l.at)
			now = l.at
		default:
			fmt.Fprintf(&b, "%c> %q\n", 'A'+rune(l.conn), l.cmds)
		}
		for conn := range connections {
			if these[i][conn]+those[i][conn] != "" {
				fmt.Fprintf(&b, "  to %c: %-6s %q\n", 'A'+rune(conn), this, these[i][conn])
			}
			if these[i][conn] != those[i][conn] {
				fmt.Fprintf(&b, "        %-6s %q\n", that, those[i][conn])
			}
		}
		if these[i] != those[i] {
			return b.String()
		}
	}
	return ""
}

// normalised removes two orders that chance decides in Redis, which keeps names
// in a hash table with a random seed: of the replies to UNSUBSCRIBE without
// channels, and of a message by several patterns.
func normalised(all []heard) []heard {
	all = slices.Clone(all)
	for i := range all {
		for conn, text := range all[i] {
			all[i][conn] = sortedRuns(text)
		}
	}
	return all
}

func sortedRuns(text string) string {
	var b strings.Builder
	var run, counts []string
	flush := func() {
		slices.Sort(run)
		for i, one := range run {
			b.WriteString(one + counts[i])
		}
		run, counts = nil, nil
	}
	kind := ""
	for text != "" {
		one, rest := cut(text)
		is, name, count := chanced(one)
		if is == "" && strings.HasPrefix(text, "*") { // look into it
			one, rest, _ = strings.Cut(text, "\r\n")
			one += "\r\n"
		}
		text = rest
		if is != kind {
			flush()
			kind = is
		}
		if is == "" {
			b.WriteString(one)
			continue
		}
		run, counts = append(run, name), append(counts, count)
	}
	flush()
	return b.String()
}

// chanced splits a reply whose order among its like is chance: unsubscribe, into
// the name and the count; pmessage.
func chanced(reply string) (kind, name, count string) {
	for _, word := range []string{"unsubscribe", "punsubscribe"} {
		head := fmt.Sprintf("*3\r\n$%d\r\n%s\r\n", len(word), word)
		if rest, is := strings.CutPrefix(reply, head); is {
			at := strings.LastIndex(rest, ":")
			return word, head + rest[:at], rest[at:]
		}
	}
	if strings.HasPrefix(reply, "*4\r\n$8\r\npmessage\r\n") {
		return "pmessage", reply, ""
	}
	return "", "", ""
}

// TestPushConformance runs random scripts of what makes a server speak first on
// a real redis-server and on a node with the same clock, and compares all that
// comes over each connection, to the byte and in order.
func TestPushConformance(t *testing.T) {
	runs, shards := testkit.Size(t, 300, 150), runtime.GOMAXPROCS(0)
	for shard := range shards {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			b := newPushBench(t)
			done, met := 0, map[string]int{}
			for seed := shard; seed < runs; seed += shards {
				b.check(t, rand.NewPCG(uint64(seed), 1), fmt.Sprint("seed ", seed), met)
				done++
			}
			t.Logf("%d scripts agree with Redis %s; they met %v", done, b.real.version, met)
		})
	}
}

// check fails with the shortest script that still differs.
func (b *pushBench) check(t testing.TB, source rand.Source, name string, met map[string]int) {
	t.Helper()
	g := &pushGenerator{generator{rng: rand.New(source), now: start}}
	script := g.script()
	if b.compare(t, script) != "" {
		less := shrink(script, func(l *pushLine) *[][]string { return &l.cmds }, func(s []pushLine) bool { return b.compare(t, s) != "" })
		t.Fatalf("%s: %s", name, b.compare(t, less))
	}
	for _, l := range possible(t, script) {
		for _, cmd := range l.cmds {
			met[cmd[0]]++
		}
	}
}

// FuzzPushConformance lets the fuzzer choose the generator's numbers.
func FuzzPushConformance(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a message before the subscription"))
	b := newPushBench(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		b.check(t, &chosen{choices, rand.NewPCG(2, uint64(len(choices)))}, "this input", map[string]int{})
	})
}

// A pushGenerator writes scripts of what makes a server speak first.
type pushGenerator struct{ generator }

func (g *pushGenerator) script() []pushLine {
	lines := make([]pushLine, 2+g.rng.IntN(22))
	for i := range lines {
		lines[i] = g.line()
	}
	return lines
}

func (g *pushGenerator) line() pushLine {
	l := pushLine{line: line{conn: g.rng.IntN(connections)}}
	switch n := g.rng.IntN(24); {
	case n < 3 && len(g.deadlines) > 0:
		at := pick(&g.generator, g.deadlines...) + history.Millis(g.rng.IntN(3)-1)
		g.now = max(g.now, at)
		l.at, l.conn = g.now, 0
	case n == 3:
		l.ends = true
	case n < 7:
		l.cmds = append(l.cmds, []string{"MULTI"})
		for range g.rng.IntN(5) {
			l.cmds = append(l.cmds, g.command())
		}
		l.cmds = append(l.cmds, []string{pick(&g.generator, "EXEC", "EXEC", "EXEC", "DISCARD")})
	case n == 7:
		l.cmds = [][]string{{pick(&g.generator, "MULTI", "EXEC", "DISCARD")}}
	case n == 8: // a pipeline
		l.cmds = [][]string{g.command(), g.command()}
	default:
		l.cmds = [][]string{g.command()}
	}
	return l
}

// pushWords are what a word of a template may be.
var pushWords = map[string][]string{
	"key": {"l", "l", "l", "m", "m", "k"}, "zkey": {"z", "z", "y", "l"}, "item": {"a", "b", "", "x\x00\r\n"},
	"channel": {"c", "c", "d", "", "ab", "x\x00\xff"},
	"pattern": {"*", "*", "*", "c", "c", "?", "?", "?", "[cd]", "[^c]", "a*", "*b", "[a-c]*", "\\c", "[", "[c", "[\\c]", "a\\", "**", "[]", "[b-a]?"},
	"script":  pushScripts, "about": {"c", "l", "m"},
	"pushed": {
		`redis.call('ZADD', 'z', 1, 'a') redis.call('RPUSH', 'l', 'a') return 1`,
		`redis.call('ZADD', 'z', 1, 'a') redis.call('ZREM', 'z', 'a') return redis.call('LLEN', 'l')`,
		`redis.call('LPUSH', 'm', 'c') return redis.call('LMOVE', 'm', 'l', 'LEFT', 'RIGHT')`,
	},
}

func (g *pushGenerator) word(name string) string {
	if name == "timeout" {
		return g.timeout()
	}
	if words := pushWords[name]; words != nil {
		return pick(&g.generator, words...)
	}
	return g.generator.word(name)
}

func (g *pushGenerator) timeout() string {
	if g.rng.IntN(10) == 0 {
		return pick(&g.generator, "-1", "x", "", "-0.0001", "nan", "0x10", "1_0", " 1", "1 ", "1e2", ".5", "5.", "+1")
	}
	text := pick(&g.generator, "0", "0", "1", "0.05", "0.0501", "0.001", "0.0001", "2")
	seconds, _ := strconv.ParseFloat(text, 64)
	g.deadline(history.Millis(seconds*1000 + 0.999))
	return text
}

func (g *pushGenerator) command() []string {
	cmd := g.template(pick(&g.generator, pushCommands...), g.word)
	if g.rng.IntN(40) == 0 { // too few or too many words
		if g.rng.IntN(2) == 0 {
			return cmd[:max(1, len(cmd)-1)]
		}
		return append(cmd, "more")
	}
	return cmd
}

var pushScripts = []string{
	`return redis.call('PUBLISH', KEYS[1], ARGV[1])`,
	`redis.call('PUBLISH', 'c', 'one') redis.call('PUBLISH', 'd', 'two') return redis.call('PUBLISH', 'c', 'three')`,
	`redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], ARGV[1], 'z')`,
	`redis.call('RPUSH', 'm', 'y') redis.call('LPUSH', 'l', 'z') return 1`,
	`redis.call('RPUSH', 'm', 'y') redis.call('DEL', 'm') redis.call('LPUSH', 'l', 'z') redis.call('RPUSH', 'm', 'x') return redis.call('LLEN', 'm')`,
	`return redis.call('BLPOP', KEYS[1], 0)`,
	`return redis.pcall('BLPOP', KEYS[1], 0)`,
	`return redis.call('SUBSCRIBE', KEYS[1])`,
	`return redis.call('LPOP', KEYS[1])`,
}

// pushCommands are templates, each as often as the number before it says.
var pushCommands = weighted(`5 SUBSCRIBE channel channel? channel?
3 UNSUBSCRIBE channel? channel?
4 PSUBSCRIBE pattern pattern? pattern?
1 PUNSUBSCRIBE pattern? pattern?
5 PUBLISH channel value
2 PING value?
7 BLPOP|BLPOP|BRPOP key key? key? timeout
5 RPUSH|LPUSH key item item? item?
1 RENAME|RENAMENX key key
1 DEL|UNLINK key
1 RPOPLPUSH key key
1 SET key value
1 PEXPIRE key millis
2 EVAL script 1 about value
1 LPOP|RPOP|LLEN|TYPE|GET|WATCH key
2 BLMOVE key key LEFT|RIGHT|left|what LEFT|RIGHT timeout
2 BLMOVE key key LEFT RIGHT timeout
2 BRPOPLPUSH key key timeout
2 BZPOPMIN|BZPOPMAX zkey zkey? timeout
2 BZPOPMIN zkey timeout
2 BZPOPMAX zkey key? timeout
2 ZADD zkey 1|2|2 a|b
2 ZADD zkey 1 a 2 b
2 ZADD|ZINCRBY zkey 3 c
2 ZREM zkey a|b
1 DEL zkey
2 SUNIONSTORE|RENAME zkey zkey
2 LPUSH|RPUSH key a|b
2 LMOVE key key LEFT LEFT
1 LLEN key
2 EVAL pushed 1 key a
1 LRANGE l 0 -1
1 UNWATCH|FLUSHALL|MULTI|EXEC
1 SCRIPT FLUSH
1 PUBSUB NUMSUB c d c
1 PUBSUB numpat
`)
