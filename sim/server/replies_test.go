package server

import (
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
)

// conversations are Redis's replies to the commands of locks where miniredis
// differs, or where a correction could be wrong. On each line a connection, A
// to C, sends a command; its reply follows =>. @51 lets time pass to 51 ms;
// time begins at 1 ms. In a command, ms:51 is a Unix time in milliseconds, s:2
// one in seconds, and quotes are Go's.
var conversations = []struct{ name, text string }{
	{"a watched EXEC after FLUSHALL", `
		A SET k v => OK
		A WATCH k => OK
		B FLUSHALL => OK
		A MULTI => OK
		A SET k w => QUEUED
		A EXEC => nil
		A GET k => nil`},
	{"a watched EXEC after FLUSHDB", `
		A HSET h f v => 1
		A WATCH h => OK
		B FLUSHDB => OK
		A MULTI => OK
		A EXEC => nil`},
	{"a watched EXEC after the FLUSHALL of a script", `
		A SET k v => OK
		A WATCH k => OK
		B EVAL "return redis.call('FLUSHALL')" 0 => OK
		A MULTI => OK
		A EXEC => nil`},
	{"FLUSHALL of nothing that is watched", `
		A WATCH k => OK
		B SET n 1 => OK
		B FLUSHALL => OK
		A MULTI => OK
		A EXEC => []`},
	{"the options of FLUSHALL", `
		A SET k v => OK
		A FLUSHALL what => (error) ERR syntax error
		A FLUSHALL ASYNC SYNC => (error) ERR syntax error
		A GET k => v
		A FLUSHALL async => OK
		A GET k => nil
		A FLUSHDB SYNC => OK`},
	{"a deadline", `
		A SET k v PX 50 => OK
		A HSET h f v => 1
		A PEXPIRE h 50 => 1
		@51
		A EXISTS k => 1
		A EXISTS h => 1
		A PTTL k => 0
		A GET k => v
		A SET k w NX => nil
		@52
		A EXISTS k => 0
		A EXISTS h => 0
		A PTTL k => -2
		A SET k w NX => OK`},
	{"transactions", `
		A MULTI => OK
		A MULTI => (error) ERR MULTI calls can not be nested
		A SET k v => QUEUED
		A WATCH k => (error) ERR WATCH inside MULTI is not allowed
		A INCR k => QUEUED
		A SET k => (error) ERR wrong number of arguments for 'set' command
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.
		A GET k => nil
		A EXEC => (error) ERR EXEC without MULTI
		A DISCARD => (error) ERR DISCARD without MULTI`},
	{"a transaction that is given up", `
		A SET k v => OK
		A WATCH k => OK
		A MULTI => OK
		A SET k w => QUEUED
		A DISCARD => OK
		A GET k => v
		B SET k x => OK
		A MULTI => OK
		A GET k => QUEUED
		A EXEC => [x]`},
	{"errors within a transaction", `
		A SET k v => OK
		A MULTI => OK
		A INCR k => QUEUED
		A SET k w EX 0 => QUEUED
		A SET n 1 XX NX => QUEUED
		A SET n 2 => QUEUED
		A EXEC => [(error) ERR value is not an integer or out of range (error) ERR invalid expire time in 'set' command (error) ERR syntax error OK]
		A GET n => 2`},
	{"a command that is wrong before it is queued", `
		A MULTI => OK
		A GET => (error) ERR wrong number of arguments for 'get' command
		A SET k v => QUEUED
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.
		A GET k => nil
		A EXEC more => (error) EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command
		A MULTI => OK
		A SET k v => QUEUED
		A EXEC more => (error) EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command
		A GET k => nil
		A EXEC => (error) ERR EXEC without MULTI`},
	{"MULTI and DISCARD with more words", `
		A MULTI more => (error) ERR wrong number of arguments for 'multi' command
		A DISCARD more => (error) ERR wrong number of arguments for 'discard' command
		A MULTI => OK
		A DISCARD more => (error) ERR wrong number of arguments for 'discard' command
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.`},
	{"WATCH", `
		A WATCH => (error) ERR wrong number of arguments for 'watch' command
		A WATCH k => OK
		B SET k v => OK
		A WATCH k => OK
		A MULTI => OK
		A SET k w => QUEUED
		A EXEC => nil
		A MULTI => OK
		A SET k w => QUEUED
		A EXEC => [OK]`},
	{"WATCH of two, one after the other", `
		A SET k v => OK
		A WATCH k n => OK
		A WATCH h => OK
		B HSET h f 1 => 1
		A MULTI => OK
		A EXEC => nil`},
	{"WATCH of a value set to itself", `
		A SET k v => OK
		A WATCH k => OK
		B SET k v => OK
		A MULTI => OK
		A EXEC => nil`},
	{"UNWATCH", `
		A WATCH k => OK
		B SET k v => OK
		A UNWATCH more => (error) ERR wrong number of arguments for 'unwatch' command
		A UNWATCH => OK
		A MULTI => OK
		A GET k => QUEUED
		A EXEC => [v]`},
	{"UNWATCH within a transaction", `
		A WATCH k => OK
		B SET k v => OK
		A MULTI => OK
		A UNWATCH => QUEUED
		A EXEC => nil`},
	{"WATCH within a transaction", `
		A MULTI => OK
		A WATCH k => (error) ERR WATCH inside MULTI is not allowed
		A WATCH => (error) ERR wrong number of arguments for 'watch' command
		A EXEC => (error) EXECABORT Transaction discarded because of previous errors.`},
	{"a key that ends is a change", `
		A SET k v PX 50 => OK
		A WATCH k => OK
		@52
		A MULTI => OK
		A EXEC => nil`},
	{"a key that has not ended is none", `
		A SET k v PX 50 => OK
		A WATCH k => OK
		@51
		A MULTI => OK
		A EXEC => []`},
	{"SET and its options", `
		A SET k v nx => OK
		A SET k w NX => nil
		A SET k w XX GET => v
		A SET k x NX GET => w
		A SET k x NX XX => (error) ERR syntax error
		A SET k => (error) ERR wrong number of arguments for 'set' command
		A SET k v EX => (error) ERR syntax error
		A SET k v EX 1 PX 1 => (error) ERR syntax error
		A SET k v EX 1 EX 2 => OK
		A PTTL k => 2000
		A SET k w KEEPTTL => OK
		A PTTL k => 2000
		A SET k v KEEPTTL EX 1 => (error) ERR syntax error
		A SET k v EX 1 KEEPTTL => (error) ERR syntax error
		A SET k v => OK
		A PTTL k => -1
		A SET n 1 XX => nil
		A SET h 1 NX GET => nil
		A GET h => 1`},
	{"the deadlines of SET", `
		A SET k v EX 1 => OK
		A PTTL k => 1000
		A SET k v PX 1500 => OK
		A PTTL k => 1500
		A SET k v EXAT s:2 => OK
		A PTTL k => 1999
		A SET k v PXAT ms:40 => OK
		A PTTL k => 39
		A SET k v PXAT ms:1 => OK
		A EXISTS k => 1
		A SET k v => OK
		A SET k w PXAT ms:0 => OK
		A EXISTS k => 0
		A SET k v => OK
		A SET k w XX GET PXAT ms:-5 => v
		A EXISTS k => 0
		A SET k w NX PXAT ms:-5 => OK
		A EXISTS k => 0
		A SET k v => OK
		A SET k w NX PXAT ms:-5 => nil
		A GET k => v
		A DEL k => 1
		A SET k w XX PXAT ms:-5 => nil
		A HSET k f 1 => 1
		A SET k w GET PXAT ms:-5 => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HGET k f => 1`},
	{"numbers that are no deadlines", `
		A SET k v EX 0 => (error) ERR invalid expire time in 'set' command
		A SET k v PX 0 => (error) ERR invalid expire time in 'set' command
		A SET k v EX -1 => (error) ERR invalid expire time in 'set' command
		A SET k v PX -1 => (error) ERR invalid expire time in 'set' command
		A SET k v EX x => (error) ERR value is not an integer or out of range
		A SET k v PX 01 => (error) ERR value is not an integer or out of range
		A SET k v PX +1 => (error) ERR value is not an integer or out of range
		A SET k v PX " 1" => (error) ERR value is not an integer or out of range
		A SET k v PX 1.5 => (error) ERR value is not an integer or out of range
		A SET k v PX 9223372036854775807 => (error) ERR invalid expire time in 'set' command
		A SET k v EX 9223372036854775807 => (error) ERR invalid expire time in 'set' command
		A SET k v EX 9223372036854776 => (error) ERR invalid expire time in 'set' command
		A SET k v EXAT 9223372036854775 => OK
		A SET k v PXAT 0 => (error) ERR invalid expire time in 'set' command
		A SET k v PX 99999999999999999999 => (error) ERR value is not an integer or out of range
		A EXISTS k => 1`},
	{"SETEX and PSETEX", `
		A SETEX k 2 v => OK
		A PTTL k => 2000
		A GET k => v
		A PSETEX k 20 w => OK
		A PTTL k => 20
		A GET k => w
		A SETEX k 0 v => (error) ERR invalid expire time in 'setex' command
		A PSETEX k -1 v => (error) ERR invalid expire time in 'psetex' command
		A PSETEX k x v => (error) ERR value is not an integer or out of range
		A SETEX k 1 => (error) ERR wrong number of arguments for 'setex' command
		A SETEX k 9223372036854776 v => (error) ERR invalid expire time in 'setex' command
		A SETEX k 1 v more => (error) ERR wrong number of arguments for 'setex' command`},
	{"GETEX", `
		A GETEX k EX 1 => nil
		A SET k v => OK
		A GETEX k => v
		A PTTL k => -1
		A GETEX k PX 20 => v
		A PTTL k => 20
		A GETEX k PERSIST => v
		A PTTL k => -1
		A GETEX k EX 0 => (error) ERR invalid expire time in 'getex' command
		A GETEX k EX 1 PERSIST => (error) ERR syntax error
		A GETEX k PXAT ms:-5 => v
		A EXISTS k => 0
		A HSET h f v => 1
		A GETEX h PX 20 => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A GETEX => (error) ERR wrong number of arguments for 'getex' command`},
	{"EXPIRE and its options", `
		A EXPIRE k 1 => 0
		A SET k v => OK
		A EXPIRE k 2 => 1
		A PTTL k => 2000
		A PEXPIRE k 30 XX => 1
		A PTTL k => 30
		A PEXPIRE k 20 NX => 0
		A PEXPIRE k 30 GT => 0
		A PEXPIRE k 29 GT => 0
		A PEXPIRE k 31 GT => 1
		A PTTL k => 31
		A PEXPIRE k 31 LT => 0
		A PEXPIRE k 32 LT => 0
		A PEXPIRE k 30 lt => 1
		A PTTL k => 30
		A PERSIST k => 1
		A PEXPIRE k 30 XX => 0
		A PEXPIRE k 30 GT => 0
		A PEXPIRE k 30 LT => 1
		A PTTL k => 30
		A PEXPIREAT k ms:40 => 1
		A PTTL k => 39
		A EXPIREAT k s:2 => 1
		A PTTL k => 1999
		A PERSIST k => 1
		A PEXPIRE k 30 NX => 1
		A PEXPIRE k 30 XX LT => 0
		A PEXPIRE k 30 NX XX => (error) ERR NX and XX, GT or LT options at the same time are not compatible
		A PEXPIRE k 30 NX GT => (error) ERR NX and XX, GT or LT options at the same time are not compatible
		A PEXPIRE k 30 NX LT => (error) ERR NX and XX, GT or LT options at the same time are not compatible
		A PEXPIRE k 30 GT LT => (error) ERR GT and LT options at the same time are not compatible
		A PEXPIRE k => (error) ERR wrong number of arguments for 'pexpire' command
		A PEXPIRE k x => (error) ERR value is not an integer or out of range
		A EXPIRE k 9223372036854776 => (error) ERR invalid expire time in 'expire' command
		A PEXPIRE k 9223372036854775807 => (error) ERR invalid expire time in 'pexpire' command
		A EXPIRE k -9223372036854775808 => (error) ERR invalid expire time in 'expire' command
		A EXISTS k => 1
		A PEXPIRE k 0 => 1
		A EXISTS k => 0
		A SET k v => OK
		A PEXPIREAT k ms:1 => 1
		A EXISTS k => 0
		A SET k v => OK
		A PEXPIREAT k ms:2 => 1
		A EXISTS k => 1
		A PEXPIRE k -1 GT => 0
		A PEXPIRE k -1 LT => 1
		A EXISTS k => 0
		A SET k v => OK
		A EXPIRE k -1 => 1
		A EXISTS k => 0`},
	{"seconds, to the nearest", `
		A TTL k => -2
		A SET k v => OK
		A TTL k => -1
		A EXPIRETIME k => -1
		A PEXPIRE k 1499 => 1
		A TTL k => 1
		A PEXPIRE k 1500 => 1
		A TTL k => 2
		A PEXPIRE k 499 => 1
		A TTL k => 0
		A PEXPIRE k 500 => 1
		A TTL k => 1
		A PEXPIREAT k 1767268801499 => 1
		A EXPIRETIME k => 1767268801
		A PEXPIREAT k 1767268801500 => 1
		A EXPIRETIME k => 1767268802
		A TTL => (error) ERR wrong number of arguments for 'ttl' command
		A TTL k more => (error) ERR wrong number of arguments for 'ttl' command`},
	{"numbers", `
		A INCR n => 1
		A INCRBY n 5 => 6
		A DECR n => 5
		A DECRBY n 2 => 3
		A INCRBY n -4 => -1
		A INCRBY n 0 => -1
		A DECRBY n -9223372036854775808 => (error) ERR decrement would overflow
		A DECRBY n -9223372036854775807 => 9223372036854775806
		A SET n 9223372036854775807 => OK
		A INCR n => (error) ERR increment or decrement would overflow
		A INCRBY n 0 => 9223372036854775807
		A INCRBY n -1 => 9223372036854775806
		A SET n -9223372036854775808 => OK
		A DECR n => (error) ERR increment or decrement would overflow
		A DECRBY n 1 => (error) ERR increment or decrement would overflow
		A INCRBY n -1 => (error) ERR increment or decrement would overflow
		A DECRBY n 0 => -9223372036854775808
		A DECRBY k -9223372036854775808 => (error) ERR decrement would overflow
		A SET n 9223372036854775806 => OK
		A INCRBY n 1 => 9223372036854775807
		A SET n 09 => OK
		A INCR n => (error) ERR value is not an integer or out of range
		A SET n v => OK
		A INCR n => (error) ERR value is not an integer or out of range
		A DECRBY n 1 => (error) ERR value is not an integer or out of range
		A SET n 1 => OK
		A INCRBY n 01 => (error) ERR value is not an integer or out of range
		A INCRBY n x => (error) ERR value is not an integer or out of range
		A INCRBY n => (error) ERR wrong number of arguments for 'incrby' command
		A INCRBY n 1 1 => (error) ERR wrong number of arguments for 'incrby' command
		A INCR => (error) ERR wrong number of arguments for 'incr' command
		A INCR n 1 => (error) ERR wrong number of arguments for 'incr' command
		A DECR n 1 => (error) ERR wrong number of arguments for 'decr' command
		A HSET h f 1 => 1
		A INCR h => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HINCRBY n f 1 => (error) WRONGTYPE Operation against a key holding the wrong kind of value
		A HINCRBY h f 2 => 3
		A HINCRBY h g 2 => 2
		A HINCRBY h f x => (error) ERR value is not an integer or out of range
		A HINCRBY h f => (error) ERR wrong number of arguments for 'hincrby' command
		A HSET h f v => 0
		A HINCRBY h f 1 => (error) ERR hash value is not an integer
		A HSET h f 9223372036854775807 => 0
		A HINCRBY h f 1 => (error) ERR increment or decrement would overflow
		A HINCRBY h f -1 => 9223372036854775806`},
	{"scripts", `
		A EVAL "return 1" => (error) ERR wrong number of arguments for 'eval' command
		A EVAL "return 1" x => (error) ERR value is not an integer or out of range
		A EVAL "return 1" 01 => (error) ERR value is not an integer or out of range
		A EVAL "return 1" -1 => (error) ERR Number of keys can't be negative
		A EVAL "return 1" 1 => (error) ERR Number of keys can't be greater than number of args
		A EVAL "return #KEYS" 1 k => 1
		A EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0 => (error) NOSCRIPT No matching script. Please use EVAL.
		A EVAL "return 1" 0 => 1
		A EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0 => 1
		A EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0 => 1
		A EVALSHA e0e1f9 0 => (error) NOSCRIPT No matching script. Please use EVAL.
		A EVALSHA nosuchshanosuchshanosuchshanosuchshanosu 0 => (error) NOSCRIPT No matching script. Please use EVAL.
		A EVALSHA e0e1f9 x => (error) NOSCRIPT No matching script. Please use EVAL.
		A SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => [1]
		A SCRIPT FLUSH what => (error) ERR SCRIPT FLUSH only support SYNC|ASYNC option
		A SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => [1]
		A SCRIPT flush => OK
		A SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => [0]
		A EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0 => (error) NOSCRIPT No matching script. Please use EVAL.
		A SCRIPT load "return 1" => e0e1f9fabfc9d4800c877a703b823ac0578ff8db
		A SCRIPT LOAD "return 1" more => (error) ERR wrong number of arguments for 'script|load' command
		A SCRIPT LOAD => (error) ERR wrong number of arguments for 'script|load' command
		A SCRIPT => (error) ERR wrong number of arguments for 'script' command
		A SCRIPT FLUSH ASYNC => OK
		A SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => [0]`},
	{"errors of scripts", `
		A SET k v => OK
		A EVAL "return redis.call('INCR', KEYS[1])" 1 k => (error) ERR value is not an integer or out of range script: 61636018f4e6b5817b89791bbed242f93fa089e3, on @user_script:1.
		A EVAL "return redis.call('HGET', KEYS[1], 'f')" 1 k => (error) WRONGTYPE Operation against a key holding the wrong kind of value script: 11a99c373546e335a8806632b9bf7a4eacdc2333, on @user_script:1.
		A EVAL "return redis.pcall('INCR', KEYS[1])" 1 k => (error) ERR value is not an integer or out of range
		A EVAL "return redis.call('GET')" 0 => (error) ERR Wrong number of args calling Redis command from script script: 72273adc3c5955bf8543f1ad6ce893355b89617d, on @user_script:1.
		A EVAL "return redis.pcall('GET')" 0 => (error) ERR Wrong number of args calling Redis command from script
		A EVAL "return redis.call('MULTI')" 0 => (error) ERR This Redis command is not allowed from script script: ba922d924f6e7808414359ed93c37767dd0532ce, on @user_script:1.
		A EVAL "return redis.call('SET', KEYS[1], 'w', 'EX', '0')" 1 k => (error) ERR invalid expire time in 'set' command script: c77935b1632254eda4db0c66a9e7b214857c330d, on @user_script:1.
		A EVAL "return redis.call()" 0 => (error) ERR Please specify at least one argument for this redis lib call script: 0a907e1429221a4d85516cab7fd219a82a9439d8, on @user_script:1.
		A EVAL "return redis.error_reply('MINE of the script')" 0 => (error) MINE of the script
		A EVAL "return redis.pcall('EVAL', 'return 1', 0)" 0 => (error) ERR This Redis command is not allowed from script
		A EVAL "return redis.call('TTL', KEYS[1])" 1 k => -1
		A EVAL "return redis.call('TIME')[1]" 0 => 1767268800
		A GET k => v
		A SCRIPT EXISTS 0000000000000000000000000000000000000000 => [0]`},
	{"a script within a transaction", `
		A MULTI => OK
		A EVAL "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])" 1 k v 20 => QUEUED
		A EVAL "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])" 1 k v 20 => QUEUED
		A PTTL k => QUEUED
		A EXEC => [OK nil 20]`},
	{"an UNWATCH that is refused", `
		A WATCH k => OK
		B SET k v => OK
		A UNWATCH more => (error) ERR wrong number of arguments for 'unwatch' command
		A PING => PONG
		A MULTI => OK
		A EXEC => nil`},
	{"an expiry that is changed at the deadline", `
		A SET k v PX 50 => OK
		@51
		A PEXPIRE k 30 NX => 0
		A PEXPIRE k 30 XX => 1
		A PTTL k => 30`},
	{"GETEX of what has no value to return", `
		A GETEX k EX 0 => nil
		A HSET h f v => 1
		A GETEX h EX 0 => (error) WRONGTYPE Operation against a key holding the wrong kind of value`},
	{"the largest and the least deadline", `
		A SET k v EX 9223372036854775 => (error) ERR invalid expire time in 'set' command
		A SET k v => OK
		A EXPIRE k 9223372036854775 => (error) ERR invalid expire time in 'expire' command
		A PEXPIRE k 9223372036854775807 => (error) ERR invalid expire time in 'pexpire' command
		A EXISTS k => 1
		A EXPIREAT k -9223372036854775 => 1
		A EXISTS k => 0
		A EXPIREAT k -9223372036854776 => (error) ERR invalid expire time in 'expireat' command`},
	{"no overflow downwards", `
		A SET n 9223372036854775807 => OK
		A DECR n => 9223372036854775806
		A SET n -9223372036854775808 => OK
		A INCR n => -9223372036854775807`},
	{"overflow of a hash", `
		A HSET h f -9223372036854775808 => 1
		A HINCRBY h f -1 => (error) ERR increment or decrement would overflow
		A HINCRBY h f 0 => -9223372036854775808
		A HINCRBY h f 9223372036854775807 => -1
		A HINCRBY h f 1 => 0`},
}

// An exchange is one line of a conversation.
type exchange struct {
	line
	want string
}

// conversation parses a conversation.
func conversation(t *testing.T, text string) (list []exchange) {
	t.Helper()
	for row := range strings.Lines(strings.TrimSpace(text)) {
		row = strings.TrimSpace(row)
		if at, ok := strings.CutPrefix(row, "@"); ok {
			now := testkit.Must(strconv.Atoi(at))(t)
			list = append(list, exchange{line: line{at: history.Millis(now)}})
			continue
		}
		cmd, want, ok := strings.Cut(row, " => ")
		if !ok {
			t.Fatalf("%q has no reply", row)
		}
		l := line{conn: int(cmd[0] - 'A')}
		l.cmds = [][]string{words(t, cmd[2:])}
		list = append(list, exchange{l, want})
	}
	return list
}

// words returns the words of a command.
func words(t *testing.T, cmd string) (list []string) {
	t.Helper()
	for cmd = strings.TrimSpace(cmd); cmd != ""; cmd = strings.TrimSpace(cmd) {
		if quoted, err := strconv.QuotedPrefix(cmd); err == nil {
			word, _ := strconv.Unquote(quoted) // valid: it is a quoted prefix
			list, cmd = append(list, word), cmd[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(cmd, " ")
		for prefix, unit := range map[string]int64{"ms:": 1, "s:": 1000} {
			if at, ok := strings.CutPrefix(word, prefix); ok {
				n := testkit.Must(strconv.ParseInt(at, 10, 64))(t)
				word = strconv.FormatInt(sim.Epoch().UnixMilli()/unit+n, 10)
			}
		}
		list, cmd = append(list, word), rest
	}
	return list
}

// TestTheTime: TIME returns the world's time, in seconds and microseconds.
func TestTheTime(t *testing.T) {
	list := conversation(t, `
		A TIME => [1767268800 1000]
		@2345
		A TIME => [1767268802 345000]
		A TIME more => (error) ERR wrong number of arguments for 'time' command`)
	compareReplies(t, "a node", list, onNode(script(list)))
}

func script(list []exchange) []line {
	lines := make([]line, len(list))
	for i := range list {
		lines[i] = list[i].line
	}
	return lines
}

// compareReplies reports replies that differ from a conversation.
func compareReplies(t *testing.T, who string, list []exchange, replies []string) {
	t.Helper()
	lines := script(list)
	for i, l := range list {
		if got := strings.TrimSpace(replyText([]byte(replies[i]))); len(l.cmds) > 0 && got != l.want {
			t.Fatalf("%s says %s, not %s:\n%s", who, got, l.want, sides{who, who}.transcript(lines[:i+1], replies, replies))
		}
	}
}

// TestReplies checks the replies of a node.
func TestReplies(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			list := conversation(t, c.text)
			compareReplies(t, "a node", list, onNode(script(list)))
		})
	}
}

// TestConformanceOfReplies checks the table against Redis.
func TestConformanceOfReplies(t *testing.T) {
	b := newBench(t)
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			list := conversation(t, c.text)
			compareReplies(t, "Redis", list, b.onRedis(t, script(list)))
		})
	}
}
