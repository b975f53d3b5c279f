package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// This file is about fields of a hash that end by themselves: HSETEX and HGETEX of Redis 8.0,
// HPEXPIRE and HPTTL of 7.4, all of Valkey 9.0. What look refuses is a hash of which a part would
// stay: a history has the ends of keys, and does not say whose field has ended.

// forgetEnds drops the deadlines of what HSET and HMSET write and HDEL deletes; miniredis keeps them.
func forgetEnds(n *engine, c *server.Peer, cmd []string) (string, []string) {
	each := 2
	if cmd[0] == "HDEL" {
		each = 1
	}
	for i := 2; i < len(cmd) && len(cmd)%each == 0; i += each {
		n.ask(c, "HPERSIST", cmd[1], "FIELDS", "1", cmd[i])
	}
	return "", cmd
}

// endFields is HSETEX, HGETEX and HPEXPIRE.
func endFields(n *engine, c *server.Peer, cmd []string) (string, []string) {
	at := 2 + slices.IndexFunc(cmd[2:], func(word string) bool { return strings.EqualFold(word, "FIELDS") })
	if at < 2 {
		return n.lacks(cmd, cmd[2]), nil
	}
	options, expires := cmd[2:at], cmd[0] == "HPEXPIRE"
	if expires {
		options = append([]string{"PX"}, options...)
	}
	o, ok := n.parseSetOptions(cmd, options)
	set, left, fields := []string{"HSETEX", cmd[1]}, int64(0), len(cmd)-at-2
	if o.unit != "" {
		until, refusal := n.deadline("", o.time, o.unit[0] == 'E', len(o.unit) == 2)
		if left = until - n.millis(); refusal != "" || left <= 0 {
			return n.lacks(cmd, o.time), nil // it deletes
		}
		set = append(set, o.unit, o.time)
	}
	switch {
	case !ok, len(o.flags) > 1 && !o.flags.has("KEEPTTL"):
		return errSyntax, nil
	case cmd[0] == "HSETEX": // miniredis has it
		return "", cmd
	case fields < 1 || cmd[at+1] != strconv.Itoa(fields):
		return wrongNumber(cmd), nil
	}
	reply := fmt.Sprintf("*%d\r\n", fields)
	for _, field := range cmd[at+2:] {
		value := n.ask(c, "HGET", cmd[1], field)
		said, writes := value, value != "$-1\r\n" && len(options) > 0
		switch {
		case value[0] == '-':
			return value, nil
		case !expires:
		case !writes:
			said = ":-2\r\n"
		case o.flags.forbid(left, n.askInt(c, "HPTTL", cmd[1], "FIELDS", "1", field)):
			said, writes = ":0\r\n", false
		default:
			said = ":1\r\n"
		}
		if reply += said; writes {
			n.ask(c, append(set, "FIELDS", "1", field, bulk(value))...)
		}
	}
	return reply, nil
}
