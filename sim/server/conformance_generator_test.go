package server

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A line of a script is one write of a connection, or a moment to which time
// passes.
type line struct {
	conn int
	cmds [][]string
	at   history.Millis // if there are no commands
}

// A generator writes scripts of the commands of locks, with few keys and
// values, so that commands conflict.
type generator struct {
	rng       *rand.Rand
	now       history.Millis
	deadlines []history.Millis // those that a command may have set
	loaded    []string         // those that the node may know
	parts     bool             // transactions may be split into several writes
	redis8    bool             // DELEX, SET IFEQ, DIGEST and MSETEX exist
	types     bool             // other keys than strings
}

const connections = 3

func newGenerator(source rand.Source, redis8 bool) *generator {
	rng := rand.New(source)
	return &generator{rng: rng, now: start, types: rng.IntN(2) == 0, parts: rng.IntN(2) == 0, redis8: redis8}
}

func (g *generator) script() []line {
	lines := make([]line, 1+g.rng.IntN(18))
	for i := range lines {
		lines[i] = g.line()
	}
	return lines
}

func (g *generator) line() line {
	l := line{conn: pick(g, 0, 0, 0, 1, 1, 2)}
	switch n := g.rng.IntN(20); {
	case n < 4 && len(g.deadlines) > 0:
		at := pick(g, g.deadlines...) + history.Millis(g.rng.IntN(3)-1)
		if at < g.now {
			at = g.now + 1
		}
		g.now = at
		return line{at: at}
	case n < 7:
		l.cmds = append(l.cmds, []string{"MULTI"})
		for range g.rng.IntN(4) {
			l.cmds = append(l.cmds, g.command())
		}
		l.cmds = append(l.cmds, []string{pick(g, "EXEC", "EXEC", "EXEC", "DISCARD")})
	case n < 10 && g.parts:
		l.cmds = [][]string{{pick(g, "MULTI", "EXEC", "EXEC", "DISCARD")}}
	case n < 11: // a pipeline
		l.cmds = [][]string{g.command(), g.command()}
	default:
		l.cmds = [][]string{g.command()}
	}
	return l
}

func pick[T any](g *generator, from ...T) T { return from[g.rng.IntN(len(from))] }

// seconds, millis, and both as Unix times return mostly useful lifetimes, and
// some nonsense.
func (g *generator) seconds() string {
	if g.rng.IntN(12) == 0 {
		return g.nonsense("9223372036854775807", "9223372036854776")
	}
	n := pick(g, 1, 1, 1, 2, 0)
	g.deadline(history.Millis(n) * 1000)
	return strconv.Itoa(n)
}

func (g *generator) millis() string {
	if g.rng.IntN(12) == 0 {
		return g.nonsense("9223372036854775807")
	}
	n := pick(g, 20, 50, 50, 50, 1, 500, 1499, 0)
	g.deadline(history.Millis(n))
	return strconv.Itoa(n)
}

func (g *generator) unix(unit int64) string {
	if g.rng.IntN(12) == 0 {
		return g.nonsense()
	}
	n := pick(g, 1000, 50, 20, 0, -1, -5000)
	g.deadline(history.Millis(n))
	return strconv.FormatInt((sim.Epoch().UnixMilli()+int64(g.now)+int64(n))/unit, 10)
}

// nonsense avoids what Redis takes for a deadline of more than 292 years; see
// the difference far-deadline.
func (g *generator) nonsense(more ...string) string {
	return pick(g, append(more, "-1", "-5", "x", "", "1.5", " 1", "+1", "01", "-9223372036854775808", "9223372036854775808", "99999999999999999999")...)
}

func (g *generator) deadline(in history.Millis) {
	if in > 0 {
		g.deadlines = append(g.deadlines, g.now+in)
	}
}

func (g *generator) set() []string {
	cmd := []string{"SET", g.word("key"), g.word("value")}
	for range pick(g, 0, 1, 1, 2, 2, 3) {
		switch option := pick(g, "NX", "NX", "XX", "GET", "KEEPTTL", "EX", "PX", "PX", "EXAT", "PXAT", "what"); option {
		case "EX":
			cmd = append(cmd, option, g.seconds())
		case "PX":
			cmd = append(cmd, pick(g, "PX", "px"), g.millis())
		case "EXAT":
			cmd = append(cmd, option, g.unix(1000))
		case "PXAT":
			cmd = append(cmd, option, g.unix(1))
		default:
			cmd = append(cmd, option)
		}
	}
	return cmd
}

func (g *generator) command() []string {
	cmd := g.wellFormed()
	if g.rng.IntN(40) == 0 && !strings.HasPrefix(cmd[0], "ZR") { // too few or too many words; later versions know more of these
		if g.rng.IntN(2) == 0 {
			cmd = cmd[:len(cmd)-1]
		} else {
			cmd = append(cmd, "more")
		}
	}
	if len(cmd) == 0 {
		return []string{"PING"}
	}
	return cmd
}

// commands are templates of what locks send, and of what they seldom do, each as often as the
// number before it says. A function writes those of one word.
var commands, rare = weighted(`6 SET
2 SETNX key value
1 GETSET key value
2 GET key
1 DEL|DEL|UNLINK key key?
1 EXPIRE key seconds condition? condition? condition?
2 PEXPIRE key millis condition? condition? condition?
1 EXPIREAT key in-seconds condition? condition? condition?
1 PEXPIREAT key in-millis condition? condition? condition?
2 PTTL|PTTL|TTL|PERSIST|EXISTS|TYPE|STRLEN|PEXPIRETIME|EXPIRETIME key
5 EVAL
1 SCRIPT
3 WATCH key key?
1 UNWATCH
1 HINCRBY hash field delta
1 HSET|HSETNX hash field value
1 HDEL|HGET|HEXISTS hash field
1 HGETALL|HLEN hash
1 INCR|DECR key
1 RARE
`), weighted(`1 MULTI|EXEC|DISCARD more
1 GETEX key EX|PERSIST|KEEPTTL|NX? seconds?
1 FLUSHALL|FLUSHDB
2 PUBLISH channel value
1 SETEX key seconds value
1 PSETEX key millis value
1 GETDEL|NOSUCH key
2 INCRBY|DECRBY key delta
`)

// weighted repeats each template as often as the number before it says.
func weighted(text string) (list []string) {
	for line := range strings.Lines(text) {
		often, template, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(often)
		list = append(list, slices.Repeat([]string{template}, n)...)
	}
	return list
}

func (g *generator) wellFormed() []string {
	if g.types && g.rng.IntN(8) > 0 {
		return g.template(pick(g, typed...), g.word)
	}
	switch text := pick(g, commands...); text {
	case "SET":
		return g.set()
	case "EVAL":
		return g.eval()
	case "SCRIPT":
		return g.scripting()
	case "RARE":
		if g.redis8 && g.rng.IntN(2) == 0 {
			return g.template(pick(g, "DELEX key IFEQ|IFNE value", "SET key value IFEQ|IFNE value GET?", "SET key value PX millis IFEQ value", "DIGEST key", "MSETEX 1 key value NX|XX?"), g.word)
		}
		return g.template(pick(g, rare...), g.word)
	default:
		return g.template(text, g.word)
	}
}

// word is a word of a template.
func (g *generator) word(name string) string {
	switch words := typedWords[name]; {
	case name == "seconds":
		return g.seconds()
	case name == "millis":
		return g.millis()
	case name == "in-seconds":
		return g.unix(1000)
	case name == "in-millis":
		return g.unix(1)
	case words != nil:
		return pick(g, words...)
	}
	return name
}
