package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/zeebo/xxh3"
)

// This file is what servers newer than the one of the comparison do if a key has a value:
// SET with IFEQ and its like, DELEX, DIGEST and MSETEX of Redis 8.4, and DELIFEQ of Valkey 9.0.

// meets reports whether the value of a key meets a condition: IFEQ, IFNE, or IFDEQ, IFDNE,
// which compare its digest. No value differs from any.
func (n *engine) meets(c *server.Peer, key, condition, against string) (met bool, refusal string) {
	value := n.ask(c, "GET", key)
	has := bulk(value)
	if condition[2] == 'D' {
		if has, against = digestOf(has), strings.ToLower(against); len(against) != len(has) {
			return false, "-ERR must be exactly 16 hexadecimal characters\r\n"
		}
	}
	if value[0] == '-' {
		return false, value
	}
	return (value != "$-1\r\n" && has == against) == strings.HasSuffix(condition, "EQ"), ""
}

func digestOf(value string) string { return fmt.Sprintf("%016x", xxh3.HashString(value)) }

func digest(n *engine, c *server.Peer, cmd []string) (string, []string) {
	value := n.ask(c, "GET", cmd[1])
	if value[0] == '-' || value == "$-1\r\n" {
		return value, nil
	}
	return bulkOf(digestOf(bulk(value))), nil
}

// deleteIf is DELEX and DELIFEQ.
func deleteIf(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if cmd[0] == "DELIFEQ" {
		cmd = []string{cmd[0], cmd[1], "IFEQ", cmd[2]}
	}
	instead := []string{"DEL", cmd[1]}
	switch kind := n.typeOf(c, cmd[1]); {
	case len(cmd) == 2 || kind == "none":
		return "", instead
	case len(cmd) != 4:
		return wrongNumber(cmd), nil
	case kind != "string" && cmd[0] == "DELEX":
		return "-ERR Key should be of string type if conditions are specified\r\n", nil
	}
	condition := strings.ToUpper(cmd[2])
	if !isCondition(condition) {
		return n.lacks(cmd, cmd[2]), nil
	}
	met, refusal := n.meets(c, cmd[1], condition, cmd[3])
	if !met && refusal == "" {
		refusal = ":0\r\n"
	}
	return refusal, instead
}

func isCondition(word string) bool {
	return slices.Contains([]string{"IFEQ", "IFNE", "IFDEQ", "IFDNE"}, word)
}

// setAll is MSETEX.
func setAll(n *engine, c *server.Peer, cmd []string) (string, []string) {
	count, ok := integer(cmd[1])
	switch {
	case !ok || count < 1:
		return "-ERR invalid numkeys value\r\n", nil
	case count > int64(len(cmd)-2)/2:
		return "-ERR wrong number of key-value pairs\r\n", nil
	}
	pairs := cmd[2 : 2+2*count]
	o, ok := n.parseSetOptions(cmd, cmd[2+2*count:])
	if !ok {
		return errSyntax, nil
	}
	there := int64(0)
	for pair := range slices.Chunk(pairs, 2) {
		there += n.askInt(c, "EXISTS", pair[0])
	}
	if o.flags.has("NX") && there > 0 || o.flags.has("XX") && there < count {
		return ":0\r\n", nil
	}
	for pair := range slices.Chunk(pairs, 2) {
		set := append([]string{"SET"}, pair...)
		if o.unit != "" {
			set = append(set, o.unit, o.time)
		} else if o.flags.has("KEEPTTL") {
			set = append(set, "KEEPTTL")
		}
		switch reply, instead := correctSet(n, c, set); {
		case reply == "":
			n.ask(c, instead...)
		case reply[0] == '-':
			return strings.Replace(reply, "'set'", "'msetex'", 1), nil
		}
	}
	return ":1\r\n", nil
}
