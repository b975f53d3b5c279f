package server

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/sim/resp"
)

const (
	errNoFloat  = "-ERR value is not a valid float\r\n"
	errNoBound  = "-ERR min or max is not a float\r\n"
	errNoNumber = "-ERR resulting score is not a number (NaN)\r\n"
	errPositive = "-ERR value is out of range, must be positive\r\n"
)

// score rewrites a score that Redis accepts so that miniredis does.
func score(text string) (string, bool) {
	f, ok := float(text)
	return strconv.FormatFloat(f, 'g', -1, 64), ok
}

// correctZadd reads scores like Redis, and the pairs one after the other if one
// member is there twice.
func correctZadd(n *engine, c *server.Peer, cmd []string) (string, []string) {
	at, has := 2, map[string]bool{}
	for ; at < len(cmd); at++ {
		option := strings.ToUpper(cmd[at])
		if !slices.Contains([]string{"NX", "XX", "GT", "LT", "CH", "INCR"}, option) {
			break
		}
		has[option] = true
	}
	head, pairs := cmd[:at], slices.Clone(cmd[at:])
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		return errSyntax, nil
	case has["NX"] && has["XX"]:
		return "-ERR XX and NX options at the same time are not compatible\r\n", nil
	case has["GT"] && has["LT"], has["NX"] && (has["GT"] || has["LT"]):
		return "-ERR GT, LT, and/or NX options at the same time are not compatible\r\n", nil
	case has["INCR"] && len(pairs) > 2:
		return "-ERR INCR option supports a single increment-element pair\r\n", nil
	case has["INCR"] && (has["GT"] || has["LT"]):
		return n.lacks(cmd, "INCR GT/LT"), nil
	}
	seen, twice := map[string]bool{}, false
	for i := 0; i < len(pairs); i += 2 {
		text, ok := score(pairs[i])
		if !ok {
			return errNoFloat, nil
		}
		pairs[i] = text
		twice = twice || seen[pairs[i+1]]
		seen[pairs[i+1]] = true
	}
	if has["INCR"] && n.noNumber(c, cmd[1], pairs[1], pairs[0]) {
		return errNoNumber, nil
	}
	if !twice {
		return "", slices.Concat(head, pairs)
	}
	sum := int64(0)
	for pair := range slices.Chunk(pairs, 2) {
		reply := n.ask(c, slices.Concat(head, pair)...)
		if reply[0] != ':' {
			return reply, nil
		}
		i, _ := strconv.ParseInt(strings.Trim(reply, ":\r\n"), 10, 64)
		sum += i
	}
	return fmt.Sprintf(":%d\r\n", sum), nil
}

// noNumber reports whether the sum of a member's score and another is none.
func (n *engine) noNumber(c *server.Peer, key, member, delta string) bool {
	d, _ := float(delta)
	old, ok := float(bulk(n.ask(c, "ZSCORE", key, member)))
	return ok && math.IsNaN(old+d)
}

func correctZincrby(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 4 {
		return "", cmd
	}
	by, ok := score(cmd[2])
	switch {
	case !ok:
		return errNoFloat, nil
	case n.noNumber(c, cmd[1], cmd[3], by):
		return errNoNumber, nil
	}
	return "", []string{cmd[0], cmd[1], by, cmd[3]}
}

// correctBounds reads the bounds of scores like Redis.
func correctBounds(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 4 || cmd[0] == "ZRANGE" && !slices.ContainsFunc(cmd[4:], func(w string) bool { return strings.EqualFold(w, "BYSCORE") }) {
		return "", cmd
	}
	instead := slices.Clone(cmd)
	for i := 2; i < 4; i++ {
		bound, open := strings.CutPrefix(cmd[i], "(")
		text, ok := score(cmp.Or(strings.TrimLeft(bound, " \t\n\v\f\r"), "0")) // unlike a score
		if !ok {
			return n.badBound(c, instead), nil
		}
		if instead[i] = text; open {
			instead[i] = "(" + text
		}
	}
	return "", instead
}

// badBound returns the error of a command with a bound that is no number. Redis
// looks at its other words first.
func (n *engine) badBound(c *server.Peer, cmd []string) string {
	if cmd[0] == "ZREMRANGEBYSCORE" && len(cmd) == 4 {
		return errNoBound
	}
	cmd[2], cmd[3] = "0", "0"
	if reply := n.ask(c, cmd...); reply[0] == '-' && reply != errWrongType {
		return reply
	}
	return errNoBound
}

// correctZrem lets a WATCH notice.
func correctZrem(n *engine, c *server.Peer, cmd []string) (string, []string) {
	reply := n.ask(c, cmd...)
	if reply[0] == ':' && reply != ":0\r\n" {
		n.touch(c, cmd[1])
	}
	return reply, nil
}

func correctZremBounds(n *engine, c *server.Peer, cmd []string) (string, []string) {
	reply, instead := correctBounds(n, c, cmd)
	if reply != "" {
		return reply, nil
	}
	return correctZrem(n, c, instead)
}

// touch lets a WATCH notice that a sorted set has changed or is gone.
func (n *engine) touch(c *server.Peer, key string) {
	first, _, _ := resp.Parse([]byte(n.ask(c, "ZRANGE", key, "0", "0", "WITHSCORES"))) // miniredis wrote it
	if len(first.Items) > 1 {
		n.ask(c, "ZADD", key, first.Items[1].Text, first.Items[0].Text)
		return
	}
	n.ask(c, "SET", key, "")
	n.ask(c, "DEL", key)
}

// correctZpop lets a WATCH notice.
func correctZpop(n *engine, c *server.Peer, cmd []string) (string, []string) {
	count := int64(1)
	switch len(cmd) {
	case 1:
		return "", cmd
	case 2:
	case 3:
		var ok bool
		if count, ok = integer(cmd[2]); !ok || count < 0 {
			return errPositive, nil
		}
	default:
		return errSyntax, nil
	}
	read := "ZRANGE"
	if cmd[0] == "ZPOPMAX" {
		read = "ZREVRANGE"
	}
	reply := n.ask(c, read, cmd[1], "0", strconv.FormatInt(count-1, 10), "WITHSCORES")
	if reply[0] == '-' {
		return reply, nil
	}
	if count == 0 {
		return "*0\r\n", nil
	}
	popped, _, _ := resp.Parse([]byte(reply)) // miniredis wrote it
	for i := 0; i < len(popped.Items); i += 2 {
		n.ask(c, "ZREM", cmd[1], popped.Items[i].Text)
	}
	if len(popped.Items) > 0 {
		n.touch(c, cmd[1])
	}
	return reply, nil
}

// correctOrder sorts members, which miniredis takes from a map.
func correctOrder(n *engine, c *server.Peer, cmd []string) (string, []string) {
	reply := n.ask(c, cmd...)
	if reply[0] != '*' {
		return reply, nil
	}
	members, _, _ := resp.Parse([]byte(reply)) // miniredis wrote it
	slices.SortFunc(members.Items, func(a, b resp.Value) int { return strings.Compare(a.Text, b.Text) })
	return string(members.Append(nil)), nil
}

// correctMove checks the ends of the lists first.
func correctMove(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) == 5 && !(isEnd(cmd[3]) && isEnd(cmd[4])) {
		return errSyntax, nil
	}
	return "", cmd
}

// correctIndex looks for the key of LSET and LINDEX before the index.
func correctIndex(n *engine, c *server.Peer, cmd []string) (string, []string) {
	sets := cmd[0] == "LSET"
	if len(cmd) != 3 && !sets || len(cmd) != 4 && sets {
		return "", cmd
	}
	switch kind := n.typeOf(c, cmd[1]); {
	case kind == "list":
		return "", cmd
	case kind != "none":
		return errWrongType, nil
	case sets:
		return "-ERR no such key\r\n", nil
	}
	return "$-1\r\n", nil
}

// correctHashFloat words the error of a value that is no number.
func correctHashFloat(n *engine, c *server.Peer, cmd []string) (string, []string) {
	reply := n.ask(c, cmd...)
	if len(cmd) == 4 && reply == errNoFloat {
		if _, ok := float(cmd[3]); ok {
			return "-ERR hash value is not a float\r\n", nil
		}
	}
	return reply, nil
}
