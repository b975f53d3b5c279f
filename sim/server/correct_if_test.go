package server

import "testing"

// newer are replies of servers newer than the one that TestConformance has: what the
// documentation of the commands says, and in its tests Redis itself.
var newer = []struct{ name, text string }{
	// redis.io/docs/latest/commands/set: IFEQ and IFDEQ create no key, IFNE and IFDNE do.
	// With GET the reply is the value from before, whatever the condition says.
	// redis/redis, tests/unit/type/string.tcl, "Extended SET with IFEQ ...".
	{"SET IFEQ and IFNE", `
		A SET k w IFEQ v => nil
		A SET k w IFEQ "" => nil
		A EXISTS k => 0
		A SET k v IFNE v => OK
		A SET k w IFNE v => nil
		A SET k w ifeq x PX 50 => nil
		A PTTL k => -1
		A SET k w PX 50 IfEq v => OK
		A PTTL k => 50
		A GET k => w
		A SET k x IFEQ w KEEPTTL => OK
		A PTTL k => 50
		A SET k y IFEQ x => OK
		A PTTL k => -1
		A SET k z IFEQ x GET => y
		A GET k => y
		A SET k z GET IFEQ y => y
		A GET k => z
		A SET n v IFEQ v GET => nil
		A EXISTS n => 0
		A SET n v IFNE v GET => nil
		A GET n => v
		A SET k "" IFEQ z => OK
		A SET k v IFNE "" => nil
		A SET k v IFEQ "" => OK
		A HSET h f v => 1
		A SET h v IFEQ v => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A SET h v IFNE v => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A SET h v IFDNE 0123456789abcdef => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A SET k w IFEQ v PX 0 => (error) ERR invalid expire time in 'set' command`},
	// There, and redis/redis#15291: they exclude each other, NX and XX.
	{"SET with two conditions", `
		A SET k v => OK
		A SET k w NX IFEQ v => (error) ERR syntax error
		A SET k w IFNE x XX => (error) ERR syntax error
		A SET k w IFEQ v IFNE x => (error) ERR syntax error
		A SET k w IFEQ => (error) ERR syntax error
		A GET k => v`},
	// redis.io/docs/latest/commands/digest has the digest of "Hello world", go-redis's helper_test.go
	// that of "myvalue", both from Redis. redis/redis#14502: 16 digits, of either case.
	{"DIGEST, IFDEQ and IFDNE", `
		A DIGEST k => nil
		A SET k "Hello world" => OK
		A DIGEST k => b6acb9d84a38ff74
		A SET k myvalue IFDEQ 5a32b091fa5dafe7 => nil
		A SET k myvalue IFDEQ B6ACB9D84A38FF74 => OK
		A DIGEST k => 5a32b091fa5dafe7
		A SET k v IFDNE 5a32b091fa5dafe7 => nil
		A SET k v IFDEQ 5a32 => (error) ERR must be exactly 16 hexadecimal characters
		A SET n v IFDEQ 5a32b091fa5dafe7 => nil
		A SET n v IFDNE 5a32b091fa5dafe7 => OK
		A DELEX k IFDNE 5a32b091fa5dafe7 => 0
		A DELEX k IFDEQ 5a32b091fa5dafe7 => 1
		A HSET h f v => 1
		A DIGEST h => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A DIGEST => (error) ERR wrong number of arguments for 'digest' command
		A DIGEST k k => (error) ERR wrong number of arguments for 'digest' command`},
	// redis.io/docs/latest/commands/delex, and string.tcl, "DELEX ...".
	{"DELEX", `
		A DELEX k IFEQ v => 0
		A DELEX k IFNE v => 0
		A DELEX k IFEQ => 0
		A SET k v => OK
		A DELEX k IFEQ => (error) ERR wrong number of arguments for 'delex' command
		A DELEX k IFEQ v v => (error) ERR wrong number of arguments for 'delex' command
		A DELEX k IFEQ w => 0
		A DELEX k IFNE v => 0
		A DELEX k IFNE w => 1
		A SET k v => OK
		A DELEX k ifeq v => 1
		A HSET h f v => 1
		A DELEX h IFEQ v => (error) ERR Key should be of string type if conditions are specified
		A DELEX h => 1`},
	// valkey.io/commands/delifeq.
	{"DELIFEQ", `
		A DELIFEQ k v => 0
		A SET k v => OK
		A DELIFEQ k w => 0
		A DELIFEQ k v => 1
		A EXISTS k => 0
		A SADD s v => 1
		A DELIFEQ s v => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A DELIFEQ s => (error) ERR wrong number of arguments for 'delifeq' command
		A DELIFEQ s v v => (error) ERR wrong number of arguments for 'delifeq' command`},
	// redis.io/docs/latest/commands/msetex and valkey.io/commands/msetex.
	{"MSETEX", `
		A MSETEX 2 k v l w NX PX 50 => 1
		A PTTL l => 50
		A MSETEX 2 k x m x NX => 0
		A EXISTS m => 0
		A MSETEX 2 k x m x XX => 0
		A GET k => v
		A MSETEX 2 k x l y xx EX 1 => 1
		A GET l => y
		A PTTL k => 1000
		A MSETEX 2 k z m z KEEPTTL => 1
		A PTTL k => 1000
		A PTTL m => -1
		A MSETEX 1 k v => 1
		A PTTL k => -1
		A MSETEX 1 m v PXAT ms:-5 => 1
		A EXISTS m => 0
		A MSETEX 2 k v l => (error) ERR wrong number of key-value pairs
		A MSETEX 1 k v NX XX => (error) ERR syntax error
		A MSETEX 1 k v EX 1 PX 1 => (error) ERR syntax error
		A MSETEX 1 k v KEEPTTL EX 1 => (error) ERR syntax error
		A MSETEX 1 k v EX 0 => (error) ERR invalid expire time in 'msetex' command
		A MSETEX 1 k => (error) ERR wrong number of arguments for 'msetex' command`},
	// redis.io/docs/latest/commands/hsetex, and redis/redis, tests/unit/type/hash-field-expire.tcl,
	// "HSETEX - ...": FNX sets if none of the fields is there, FXX if all are. Without KEEPTTL,
	// the deadline goes. A field is there at its deadline, and not after it.
	{"HSETEX", `
		A HSETEX h FNX PX 50 FIELDS 1 f v => 1
		A HPTTL h FIELDS 2 f g => [50 -2]
		A PTTL h => -1
		A HSETEX h fnx px 90 fields 2 f w g w => 0
		A HSETEX h FXX FIELDS 2 f w g w => 0
		A HGETALL h => [f v]
		A HSETEX h KEEPTTL FXX FIELDS 1 f w => 1
		A HGET h f => w
		@51
		A HPTTL h FIELDS 1 f => [0]
		A HSETEX h FNX PX 50 FIELDS 1 f x => 0
		@52
		A HGET h f => nil
		A EXISTS h => 0
		A HSETEX h FXX FIELDS 1 f x => 0
		A HSETEX h EXAT s:2 FNX FIELDS 2 f 1 g x => 1
		A HPTTL h FIELDS 2 f g => [1948 1948]
		A HINCRBY h f 1 => 2
		A HPTTL h FIELDS 1 f => [1948]
		A HSETEX h FIELDS 2 f y g y => 1
		A HPTTL h FIELDS 2 f g => [-1 -1]
		@3000
		A HGETALL h => [f y g y]
		A SET k v => OK
		A HSETEX k PX 50 FIELDS 1 f v => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HSETEX h PX FIELDS 1 f v => (error) ERR syntax error
		A HSETEX h FNX FXX FIELDS 1 f v => (error) ERR syntax error
		A HSETEX h FIELDS 1 f => (error) ERR wrong number of arguments for 'hsetex' command`},
	// .../commands/hgetex, and there, "HGETEX - ...".
	{"HGETEX", `
		A HGETEX h PX 50 FIELDS 2 f g => [nil nil]
		A HSET h f v => 1
		A HGETEX h FIELDS 2 f g => [v nil]
		A HPTTL h FIELDS 1 f => [-1]
		A HGETEX h PX 50 FIELDS 1 f => [v]
		A HPTTL h FIELDS 1 f => [50]
		A HGETEX h FIELDS 1 f => [v]
		A HPTTL h FIELDS 1 f => [50]
		A HGETEX h PERSIST FIELDS 2 f g => [v nil]
		A HPTTL h FIELDS 1 f => [-1]
		A HGETEX h PXAT ms:70 FIELDS 1 f => [v]
		@70
		A HGET h f => v
		@71
		A HGET h f => nil
		A SET k v => OK
		A HGETEX k FIELDS 1 f => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HGETEX h FIELDS 2 f => (error) ERR wrong number of arguments for 'hgetex' command
		A HGETEX h PX 50 FIELDS 1 => (error) ERR wrong number of arguments for 'hgetex' command`},
	// .../commands/hpexpire: -2 without such a field, 0 if the condition is not met, 1. No
	// deadline is later than any.
	{"HPEXPIRE", `
		A HPEXPIRE h 50 FIELDS 2 f g => [-2 -2]
		A HSET h f v => 1
		A HPEXPIRE h 50 XX FIELDS 1 f => [0]
		A HPEXPIRE h 50 GT FIELDS 1 f => [0]
		A HPEXPIRE h 50 NX FIELDS 2 f g => [1 -2]
		A HPEXPIRE h 60 NX FIELDS 1 f => [0]
		A HPEXPIRE h 50 GT FIELDS 1 f => [0]
		A HPEXPIRE h 50 lt fields 1 f => [0]
		A HPEXPIRE h 60 GT FIELDS 1 f => [1]
		A HPEXPIRE h 40 LT FIELDS 1 f => [1]
		A HPEXPIRE h 50 XX FIELDS 1 f => [1]
		A HPTTL h FIELDS 1 f => [50]
		A HSET h f w => 0
		A HPTTL h FIELDS 1 f => [-1]
		A HPEXPIRE h 50 LT FIELDS 1 f => [1]
		A RENAME h i => OK
		@52
		A EXISTS i => 0
		A HSET h f v g v => 2
		A HPEXPIRE h 50 FIELDS 2 f g => [1 1]
		A HDEL h f => 1
		A EVAL "redis.call('HDEL', KEYS[1], 'g') return redis.call('HSETNX', KEYS[1], 'g', 'w')" 1 h => 1
		A HPTTL h FIELDS 2 f g => [-2 -1]
		A SET k v => OK
		A HPEXPIRE k 50 FIELDS 1 f => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HPEXPIRE h 50 NX XX FIELDS 1 g => (error) ERR syntax error
		A HPEXPIRE h 50 GT LT FIELDS 1 g => (error) ERR syntax error
		A HPEXPIRE h 50 EX 1 FIELDS 1 g => (error) ERR syntax error
		A HPEXPIRE h 50 FIELDS 1 g f => (error) ERR wrong number of arguments for 'hpexpire' command
		A HPTTL h FIELDS 1 => (error) ERR wrong number of arguments for 'hpttl' command`},
	// A hash may end in parts within a unit, and a deleted field leaves no deadline behind.
	{"fields in transactions and scripts", `
		A EVAL "redis.call('HSET', KEYS[1], 'f', 'v', 'g', 'v') redis.call('HPEXPIRE', KEYS[1], 50, 'FIELDS', 1, 'f') redis.call('HDEL', KEYS[1], 'f') return redis.call('HINCRBY', KEYS[1], 'f', 1)" 1 h => 1
		A HPTTL h FIELDS 2 f g => [-1 -1]
		A DEL h => 1
		A EVAL "redis.call('HSET', KEYS[1], 'f', 'v', 'g', 'v') redis.call('HPEXPIRE', KEYS[1], 50, 'FIELDS', 1, 'f') return redis.call('HPEXPIRE', KEYS[1], 50, 'FIELDS', 1, 'g')" 1 h => [1]
		A HPTTL h FIELDS 2 f g => [50 50]
		A WATCH h => OK
		B HPEXPIRE h 60 LT FIELDS 2 f g => [0 0]
		A MULTI => OK
		A HGETEX h PERSIST FIELDS 2 f g => QUEUED
		A HSETEX h PX 70 FIELDS 2 f w g w => QUEUED
		A HSETEX h PX 70 => (error) ERR wrong number of arguments for 'hsetex' command
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.
		A WATCH h => OK
		B HPEXPIRE h 60 FIELDS 2 f g => [1 1]
		A MULTI => OK
		A EXEC => nil
		A WATCH h => OK
		A MULTI => OK
		A HGETEX h PX 70 FIELDS 2 f g => QUEUED
		@61
		A EXEC => [[v v]]
		A HPTTL h FIELDS 1 f => [70]
		A WATCH h => OK
		@132
		A MULTI => OK
		A EXEC => nil
		A EVAL "return redis.call('HGETEX', KEYS[1], 'PX', 5, 'FIELDS', 1, 'f')" 1 h => [nil]
		A EVAL "return redis.call('HSETEX', KEYS[1], 'FNX', 'PX', 5, 'FIELDS', 1, 'f', 'v')" 1 h => 1`},
	// A WATCH notices, a transaction counts the words, a script calls them.
	{"in transactions and scripts", `
		A SET k v => OK
		A WATCH k => OK
		B DELIFEQ k v => 1
		A MULTI => OK
		A EXEC => nil
		A SET k v => OK
		A WATCH k => OK
		B SET k w IFEQ x => nil
		A MULTI => OK
		A SET k w IFEQ v => QUEUED
		A DELEX k IFEQ w => QUEUED
		A EXEC => [OK 1]
		A MULTI => OK
		A DELIFEQ k => (error) ERR wrong number of arguments for 'delifeq' command
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.
		A EVAL "redis.call('SET', KEYS[1], 'v') return redis.call('DELIFEQ', KEYS[1], ARGV[1])" 1 k v => 1
		A EVAL "return redis.call('SET', KEYS[1], 'v', 'IFEQ', 'w')" 1 k => nil
		A EVAL "return redis.call('MSETEX', 1, KEYS[1], 'v', 'NX', 'PX', 50)" 1 k => 1
		A PTTL k => 50`},
}

// TestNewer checks the replies of a node.
func TestNewer(t *testing.T) {
	for _, c := range newer {
		t.Run(c.name, func(t *testing.T) {
			list := conversation(t, c.text)
			compareReplies(t, "a node", list, onNode(script(list)))
		})
	}
}
