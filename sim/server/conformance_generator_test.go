package server

import (
	"math/rand/v2"
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
	redis8    bool             // DELEX and SET IFEQ exist
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

func (g *generator) key() string  { return pick(g, "k", "k", "k", "k", "h", "n") }
func (g *generator) hash() string { return pick(g, "h", "h", "h", "k") }
func (g *generator) value() string {
	return pick(g, "a", "a", "b", "", "7", "-1", "x\x00\xff\r\n", "09")
}
func (g *generator) field() string { return pick(g, "f", "f", "A:1", "g") }
func (g *generator) delta() string {
	return pick(g, "1", "1", "-1", "2", "0", "9223372036854775807", "x", "1.5")
}

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
	cmd := []string{"SET", g.key(), g.value()}
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

func (g *generator) wellFormed() []string {
	if g.types && g.rng.IntN(8) > 0 {
		return g.template(pick(g, typed...), g.typedWord)
	}
	switch n := g.rng.IntN(34); n {
	case 0, 1, 2, 3, 4, 5:
		return g.set()
	case 6, 7:
		return []string{"SETNX", g.key(), g.value()}
	case 8:
		return []string{"GETSET", g.key(), g.value()}
	case 9, 10:
		return []string{"GET", g.key()}
	case 11:
		return []string{pick(g, "DEL", "DEL", "UNLINK"), g.key(), pick(g, "k", "h", "n")}[:2+g.rng.IntN(2)]
	case 12, 13, 31, 32:
		return g.expire()
	case 14, 15:
		return []string{pick(g, "PTTL", "PTTL", "TTL", "PERSIST", "EXISTS", "TYPE", "STRLEN", "PEXPIRETIME", "EXPIRETIME"), g.key()}
	case 16, 17, 18, 19, 20:
		return g.eval()
	case 21:
		return g.scripting()
	case 22, 23, 24:
		return append([]string{"WATCH"}, []string{g.key(), g.key()}[:1+g.rng.IntN(2)]...)
	case 25:
		return []string{"UNWATCH"}
	case 26:
		return []string{"HINCRBY", g.hash(), g.field(), g.delta()}
	case 27:
		return []string{pick(g, "HSET", "HSETNX"), g.hash(), g.field(), g.value()}
	case 28:
		return []string{pick(g, "HDEL", "HGET", "HEXISTS"), g.hash(), g.field()}
	case 29:
		return []string{pick(g, "HGETALL", "HLEN"), g.hash()}
	case 30:
		return []string{pick(g, "INCR", "DECR"), g.key()}
	}
	return g.rare()
}

func (g *generator) expire() []string {
	cmd := []string{"", g.key(), ""}
	switch cmd[0] = pick(g, "EXPIRE", "PEXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"); cmd[0] {
	case "EXPIRE":
		cmd[2] = g.seconds()
	case "PEXPIRE":
		cmd[2] = g.millis()
	case "EXPIREAT":
		cmd[2] = g.unix(1000)
	case "PEXPIREAT":
		cmd[2] = g.unix(1)
	}
	for g.rng.IntN(5) < 2 {
		cmd = append(cmd, pick(g, "NX", "XX", "GT", "GT", "LT", "lt", "what"))
	}
	return cmd
}

func (g *generator) rare() []string {
	if g.redis8 && g.rng.IntN(2) == 0 {
		return []string{"DELEX", g.key(), pick(g, "IFEQ", "IFNE"), g.value()}
	}
	switch g.rng.IntN(9) {
	case 8:
		return []string{pick(g, "MULTI", "EXEC", "DISCARD"), "more"}
	case 0:
		return []string{"GETEX", g.key(), pick(g, "EX", "PERSIST", "KEEPTTL", "NX"), g.seconds()}[:2+g.rng.IntN(3)]
	case 1:
		return []string{pick(g, "FLUSHALL", "FLUSHDB")}
	case 6, 7:
		return []string{"PUBLISH", "channel", g.value()}
	case 2:
		return []string{"SETEX", g.key(), g.seconds(), g.value()}
	case 3:
		return []string{"PSETEX", g.key(), g.millis(), g.value()}
	case 4:
		return []string{pick(g, "GETDEL", "NOSUCH"), g.key()}
	}
	return []string{pick(g, "INCRBY", "DECRBY"), g.key(), g.delta()}
}
