package server

import (
	"errors"
	"strings"
	"testing"

	"lockstep/sim"
)

// TestUnsupported: what a node does not execute ends the run by its name, wherever
// it stands; what it need not draw it executes.
func TestUnsupported(t *testing.T) {
	for _, test := range []struct {
		cmds  [][]string
		names string // "" if it is executed
	}{
		{[][]string{{"XGROUP", "CREATE", "x", "g", "0"}}, "XGROUP"},
		{[][]string{{"SELECT", "1"}}, "SELECT"},
		{[][]string{{"SELECT", "0"}}, ""},
		{[][]string{{"MULTI"}, {"SET", "k", "v"}, {"WAIT", "1", "0"}, {"EXEC"}}, "WAIT"},
		{[][]string{{"EVAL", "return redis.pcall('PFADD', KEYS[1], 'a')", "1", "k"}}, "PFADD"},
		{[][]string{{"SPOP", "one"}}, ""},
		{[][]string{{"SPOP", "none"}}, ""},
		{[][]string{{"SPOP"}}, ""},
		{[][]string{{"SRANDMEMBER", "two"}}, "SRANDMEMBER"},
		{[][]string{{"EVAL", "return redis.call('ZRANDMEMBER', KEYS[1])", "1", "ranked"}}, "ZRANDMEMBER"},
		{[][]string{{"RANDOMKEY"}}, "RANDOMKEY"},
		{[][]string{{"XADD", "x", "*", "f", "v"}}, "XADD"},
		{[][]string{{"XREAD", "BLOCK", "0", "STREAMS", "x", "$"}}, "XREAD"},
		{[][]string{{"EVAL", "return redis.call('XLEN', KEYS[1])", "1", "x"}}, "XLEN"},
		{[][]string{{"NOSUCH", "k"}}, "NOSUCH is not simulated"},
		{[][]string{{"MULTI"}, {"NOSUCH"}, {"EXEC"}}, "NOSUCH is not simulated"},
		{[][]string{{"EVAL", "return redis.pcall('NOSUCH')", "0"}}, "NOSUCH is not simulated"},
		{[][]string{{"CLIENT", "TRACKING", "ON"}}, "CLIENT TRACKING is not simulated"},
		{[][]string{{"SCRIPT", "DEBUG", "YES"}}, "SCRIPT DEBUG is not simulated"},
		{[][]string{{"PUBSUB", "SHARDCHANNELS"}}, "PUBSUB SHARDCHANNELS is not simulated"},
		{[][]string{{"SET", "k", "token", "PX", "50", "IFFY"}}, "SET ... IFFY is not simulated"},
		{[][]string{{"EVAL", "return redis.pcall('SET', 'k', 'v', 'IFFY')", "0"}}, "SET ... IFFY is not simulated"},
		{[][]string{{"MULTI"}, {"SET", "k", "v", "IFFY"}, {"EXEC"}}, "SET ... IFFY is not simulated"},
		{[][]string{{"GETEX", "k", "NX"}}, "GETEX ... NX is not simulated"},
		{[][]string{{"PEXPIRE", "k", "50", "EQ"}}, "PEXPIRE ... EQ is not simulated"},
		{[][]string{{"SET", "k", "v"}, {"DELEX", "k", "IFGT", "v"}}, "DELEX ... IFGT is not simulated"},
		{[][]string{{"ZRANK", "ranked", "a", "WITHTIME"}}, "ZRANK ... WITHTIME is not simulated"},
		{[][]string{{"SSCAN", "one", "0", "NOVALUES"}}, "SSCAN ... NOVALUES is not simulated"},
		{[][]string{{"SUBSCRIBE", "own", "__keyspace@0__:k"}}, "SUBSCRIBE ... __keyspace@0__:k is not simulated"},
		{[][]string{{"PSUBSCRIBE", "__keyevent@*:expired"}}, "PSUBSCRIBE __keyevent@*:expired is not simulated"},
		{[][]string{{"SUBSCRIBE", "key"}}, ""},
		{[][]string{{"HSETEX", "h", "NX", "PX", "50", "FIELDS", "1", "f", "v"}}, "HSETEX ... NX is not simulated"},
		{[][]string{{"HSETEX", "h", "50", "f", "v", "g"}}, "HSETEX ... 50 is not simulated"},
		{[][]string{{"HPEXPIRE", "h", "0", "FIELDS", "1", "f"}}, "HPEXPIRE ... 0 is not simulated"},
		{[][]string{{"HSETEX", "h", "PXAT", "5", "FIELDS", "1", "f", "v"}}, "HSETEX ... 5 is not simulated"},
		{[][]string{{"HGETEX", "h", "PX", "-5", "FIELDS", "1", "f"}}, "HGETEX ... -5 is not simulated"},
		{[][]string{{"HEXPIRE", "h", "5", "FIELDS", "1", "f"}}, "HEXPIRE is not simulated"},
		// Only a part of the hash would end.
		{[][]string{{"HSET", "h", "f", "v"}, {"HSETEX", "h", "PX", "50", "FIELDS", "1", "g", "v"}}, "where all fields of a hash end at one moment"},
		{[][]string{{"HSETEX", "h", "PX", "50", "FIELDS", "1", "f", "v"}, {"HSET", "h", "g", "v"}}, "HSETEX"},
		{[][]string{{"HSETEX", "h", "PX", "50", "FIELDS", "2", "f", "v", "g", "v"}, {"HPEXPIRE", "h", "60", "FIELDS", "1", "f"}}, "HPEXPIRE"},
		{[][]string{{"HSETEX", "h", "PX", "50", "FIELDS", "1", "f", "v"}, {"PEXPIRE", "h", "50"}}, "its key has no TTL"},
		{[][]string{{"HSET", "h", "f", "v"}, {"PEXPIRE", "h", "50"}, {"HPEXPIRE", "h", "60", "FIELDS", "1", "f"}}, "its key has no TTL"},
		{[][]string{{"HSETEX", "h", "PX", "50", "FIELDS", "1", "f", "v"}, {"HDEL", "h", "f"}, {"HSET", "h", "g", "v"}}, ""},
		// Redis does not accept these either.
		{[][]string{{"SET", "k", "v", "NX", "XX"}}, ""},
		{[][]string{{"SET", "k", "v", "PX"}}, ""},
		{[][]string{{"SETNX", "k", "v", "PX", "50"}}, ""},
		{[][]string{{"ZRANGE", "ranked", "0", "inf", "BYSCORE", "REV", "5"}}, ""},
		{[][]string{{"ZADD"}}, ""},
		{[][]string{{"EVAL", "return string.rep('x', 1024 * 1024 + 1)", "0"}}, "1048589 bytes"},
		{[][]string{{"EVAL", "return string.rep('x', 1000 * 1000)", "0"}}, ""},
	} {
		var s NodeState
		s.run(t, "A.", "SADD one a", "SADD two a b", "ZADD ranked 1 a 2 b")
		_, err := s.do("A.", test.cmds, 0)
		var lacks *sim.UnsupportedError
		if errors.As(err, &lacks) != (test.names != "") || err != nil && !strings.Contains(err.Error(), test.names) {
			t.Errorf("%q: %v", test.cmds, err)
		}
	}
}
