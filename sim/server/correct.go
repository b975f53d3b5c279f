package server

import (
	"math"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/sim/resp"
)

// A correction replaces a command where miniredis differs from Redis. It
// returns the reply, or another command for miniredis to execute instead.
type correction func(n *engine, c *server.Peer, cmd []string) (reply string, instead []string)

// corrections are for the commands of locks. A comparison with a Redis server
// found each of them; see TestConformance.
var corrections = map[string]correction{
	"SET": correctSet, "GETEX": correctSet,
	"SETEX": correctSetEx, "PSETEX": correctSetEx,
	"EXPIRE": correctExpire, "PEXPIRE": correctExpire,
	"EXPIREAT": correctExpire, "PEXPIREAT": correctExpire,
	"TTL": correctSeconds, "EXPIRETIME": correctSeconds, "TIME": correctTime,
	"INCR": correctIncr, "DECR": correctIncr, "INCRBY": correctIncr,
	"DECRBY": correctIncr, "HINCRBY": correctIncr,
	"EVAL": correctEval, "EVALSHA": correctEval, "SCRIPT": correctScript,
	"ZADD": correctZadd, "ZINCRBY": correctZincrby, "ZPOPMIN": correctZpop, "ZPOPMAX": correctZpop,
	"ZCOUNT": correctBounds, "ZRANGE": correctBounds, "ZRANGEBYSCORE": correctBounds,
	"ZREVRANGEBYSCORE": correctBounds, "ZREMRANGEBYSCORE": correctZremBounds, "ZREM": correctZrem, "ZREMRANGEBYRANK": correctZrem,
	"LMOVE": correctMove, "LSET": correctIndex, "LINDEX": correctIndex,
	"SINTER": correctOrder, "SUNION": correctOrder, "SDIFF": correctOrder,
	"HINCRBYFLOAT": correctHashFloat,
	"SINTERSTORE":  correctStore, "SUNIONSTORE": correctStore, "SDIFFSTORE": correctStore,
	"PUBLISH": correctPublish, "PING": correctPing, "PUBSUB": correctPubsub, "LPOP": correctPop, "RPOP": correctPop,
	"FLUSHALL": correctFlush, "FLUSHDB": correctFlush,
	"HSETEX": endFields, "HGETEX": endFields, "HPEXPIRE": endFields,
	"HSET": forgetEnds, "HMSET": forgetEnds, "HDEL": forgetEnds,
	"DELEX": deleteIf, "DELIFEQ": deleteIf, "DIGEST": digest, "MSETEX": setAll,
}

// notInScript are commands that a script may not contain, and that miniredis does
// not refuse.
var notInScript = map[string]bool{
	"BLPOP": true, "BRPOP": true, "BRPOPLPUSH": true, "BLMOVE": true, "BZPOPMIN": true, "BZPOPMAX": true, "SUBSCRIBE": true, "UNSUBSCRIBE": true, "PSUBSCRIBE": true, "PUNSUBSCRIBE": true,
}

const (
	errWrongType  = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
	errSyntax     = "-ERR syntax error\r\n"
	errNoInteger  = "-ERR value is not an integer or out of range\r\n"
	errHashNumber = "-ERR hash value is not an integer\r\n"
	errOverflow   = "-ERR increment or decrement would overflow\r\n"
)

// correct runs before every command that miniredis executes, including those of
// scripts. It returns true if it has handled the command.
func (n *engine) correct(c *server.Peer, name string, args ...string) bool {
	if n.direct {
		n.direct = false
		return false
	}
	if n.scripted && notInScript[name] {
		c.WriteRaw("-ERR This Redis command is not allowed from script\r\n")
		return true
	}
	cmd := append(append(make([]string, 0, 1+len(args)), name), args...)
	if n.unsupported(c, cmd) {
		c.WriteRaw("-ERR not simulated\r\n")
		return true
	}
	reply, instead := miscounted(cmd), cmd
	if correction := corrections[name]; correction != nil && reply == "" {
		reply, instead = correction(n, c, cmd)
	}
	if reply == "" {
		reply = n.ask(c, instead...)
		n.unknowing(cmd, reply)
	}
	if n.scripted {
		n.awaited(c)
		reply = replyInScript(reply)
	}
	c.WriteRaw(reply)
	return true
}

// ask lets miniredis execute an uncorrected command for a connection or a
// script, and returns the reply. A command of a script is asked while the
// script is asked, and so needs another sink.
func (n *engine) ask(c *server.Peer, cmd ...string) string {
	out := n.scratch[n.asking]
	if out == nil {
		out = newSink()
		n.scratch[n.asking] = out
	}
	n.asking++
	q := server.NewPeer(out.writer)
	q.Ctx, n.direct = c.Ctx, true
	n.mini.Server().Dispatch(q, cmd)
	n.asking--
	if c.Ctx == nil {
		c.Ctx = q.Ctx // where miniredis keeps a connection's state
	}
	return string(out.take())
}

// askInt is ask for a command whose reply is a number, or a list of one.
func (n *engine) askInt(c *server.Peer, cmd ...string) int64 {
	i, _ := strconv.ParseInt(strings.Trim(strings.TrimPrefix(n.ask(c, cmd...), "*1"), ":\r\n"), 10, 64)
	return i
}

// typeOf returns the type of a key; none if there is no such key.
func (n *engine) typeOf(c *server.Peer, key string) string {
	return strings.Trim(n.ask(c, "TYPE", key), "+\r\n")
}

// integer parses a number like Redis: without plus sign, spaces or leading
// zeros.
func integer(text string) (int64, bool) {
	i, err := strconv.ParseInt(text, 10, 64)
	var written [20]byte
	return i, err == nil && string(strconv.AppendInt(written[:0], i, 10)) == text
}

// correctIncr refuses numbers that only miniredis accepts, and results that
// overflow.
func correctIncr(n *engine, c *server.Peer, cmd []string) (string, []string) {
	want := 3
	switch cmd[0] {
	case "INCR", "DECR":
		want = 2
	case "HINCRBY":
		want = 4
	}
	if len(cmd) != want {
		return "", cmd
	}
	delta, ok := int64(1), true
	if want > 2 {
		if delta, ok = integer(cmd[want-1]); !ok {
			return errNoInteger, nil
		}
	}
	if cmd[0] == "DECRBY" && delta == math.MinInt64 {
		return "-ERR decrement would overflow\r\n", nil
	}
	old, refusal := n.ask(c, "GET", cmd[1]), errNoInteger
	if cmd[0] == "HINCRBY" {
		old, refusal = n.ask(c, "HGET", cmd[1], cmd[2]), errHashNumber
	}
	if old[0] == '-' || old == "$-1\r\n" {
		return "", cmd
	}
	value, ok := integer(bulk(old))
	if !ok {
		return refusal, nil
	}
	if cmd[0] == "HINCRBY" && delta != 0 && value+delta > value != (delta > 0) { // miniredis checks strings only
		return errOverflow, nil
	}
	return "", cmd
}

// bulk returns the content of a bulk reply.
func bulk(reply string) string {
	_, rest, _ := strings.Cut(reply, "\r\n")
	return strings.TrimSuffix(rest, "\r\n")
}

// correctFlush first deletes each key, so that a WATCH notices.
func correctFlush(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if how := strings.ToUpper(cmd[len(cmd)-1]); len(cmd) > 2 || len(cmd) == 2 && how != "ASYNC" && how != "SYNC" {
		return errSyntax, nil
	}
	keys, _, err := resp.Parse([]byte(n.ask(c, "KEYS", "*")))
	if err != nil {
		return "-ERR " + err.Error() + "\r\n", nil
	}
	for _, key := range keys.Items {
		n.ask(c, "DEL", key.Text)
	}
	return "", cmd[:1]
}

// correctPing repeats a word also if it is empty.
func correctPing(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 2 {
		return "", cmd
	}
	return bulkOf(cmd[1]), nil
}

// correctPop words the error of a wrong count.
func correctPop(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) > 3 {
		return wrongNumber(cmd), nil
	}
	if len(cmd) == 3 {
		if count, ok := integer(cmd[2]); !ok || count < 0 {
			return errPositive, nil
		}
	}
	return "", cmd
}

// correctStore makes no key of an empty set.
func correctStore(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 3 {
		return "", cmd
	}
	reply := n.ask(c, append([]string{strings.TrimSuffix(cmd[0], "STORE")}, cmd[2:]...)...)
	if reply[0] == '-' {
		return reply, nil
	}
	n.ask(c, "DEL", cmd[1])
	members, _, _ := resp.Parse([]byte(reply)) // miniredis wrote it
	if len(members.Items) == 0 {
		return ":0\r\n", nil
	}
	words := []string{"SADD", cmd[1]}
	for _, m := range members.Items {
		words = append(words, m.Text)
	}
	return "", words
}
