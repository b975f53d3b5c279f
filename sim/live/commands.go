package live

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// The commands that may be sent: a lock may need these, and the places of their
// keys are known. Nothing else reaches a server.
var (
	firstIsKey = strings.Fields(`
		GET STRLEN TYPE TTL PTTL SET SETNX SETEX PSETEX GETSET GETDEL APPEND INCR DECR INCRBY DECRBY EXPIRE PEXPIRE PERSIST DELEX DELIFEQ DIGEST
		HGET HGETALL HEXISTS HLEN HKEYS HVALS HMGET HSTRLEN HSET HSETNX HMSET HDEL HINCRBY
		LLEN LRANGE LINDEX LPUSH RPUSH LPOP RPOP LREM LTRIM SCARD SISMEMBER SMEMBERS SADD SREM
		ZCARD ZCOUNT ZRANGE ZRANGEBYSCORE ZREVRANGE ZRANK ZREVRANK ZSCORE ZADD ZINCRBY ZREM ZREMRANGEBYSCORE ZREMRANGEBYRANK ZPOPMIN ZPOPMAX`)
	allAreKeys = strings.Fields("EXISTS MGET WATCH DEL UNLINK")
	keyless    = strings.Fields("MULTI EXEC DISCARD UNWATCH PING ECHO")
)

// A RefusedError says why a command, a fault or a story is refused on a real server.
type RefusedError struct{ Why lang.Message }

func (e *RefusedError) Error() string { return e.In(nil) }

// In returns the message in a language.
func (e *RefusedError) In(l lang.Language) string {
	return lang.New("not on a real server: %v", e.Why).In(l)
}

func refused(format string, args ...any) error { return &RefusedError{lang.New(format, args...)} }

// keysOf returns the keys of a command.
func keysOf(cmd []string) ([]string, error) {
	name, args := cmd[0], cmd[1:]
	switch {
	case name == "EVAL" || name == "EVALSHA":
		n := -1
		if len(args) > 1 {
			n, _ = strconv.Atoi(args[1])
		}
		if n < 1 || n > len(args)-2 {
			return nil, refused("%s does not say how many keys it has", name)
		}
		if name == "EVAL" && !plain(args[0]) {
			return nil, refused("its script calls Redis other than by redis.call(\"COMMAND\", KEYS[n], ...), so that its keys are not known")
		}
		return args[2 : 2+n], nil
	case name == "SCRIPT" && len(args) == 2: // it is loaded, and is held to what an EVAL of it is
		_, err := keysOf([]string{"EVAL", args[1], "1", ""})
		return nil, err
	case slices.Contains(allAreKeys, name):
		return args, nil
	case slices.Contains(keyless, name):
		return nil, nil
	case !slices.Contains(firstIsKey, name):
		return nil, refused("the keys of %s are not known", name)
	}
	for _, word := range args[min(2, len(args)):] {
		if w := strings.ToUpper(word); name == "SET" && (w == "EXAT" || w == "PXAT") {
			return nil, refused("SET %s names a moment on the world's clock", w) // which began in 2026 and stands still while code runs
		}
	}
	return args[:min(1, len(args))], nil
}

// Redis lets a script use keys that are not among its KEYS, and call what may
// not be sent. So each of its calls must be a plain one.
var (
	anyCall   = regexp.MustCompile(`\bredis\b`)
	plainCall = regexp.MustCompile(`\bredis\.p?call\(\s*["']([A-Za-z]+)["']\s*,\s*KEYS\[[A-Za-z0-9_]+\]\s*([,)])`)
	harmless  = regexp.MustCompile(`\bredis\.(status_reply|error_reply|sha1hex)\b`)
)

// plain reports whether a script calls Redis only by redis.call("COMMAND",
// KEYS[n], ...).
func plain(script string) bool {
	calls := plainCall.FindAllStringSubmatch(script, -1)
	for _, call := range calls {
		name := strings.ToUpper(call[1])
		if !slices.Contains(firstIsKey, name) && (!slices.Contains(allAreKeys, name) || call[2] != ")") {
			return false
		}
	}
	return len(calls)+len(harmless.FindAllString(script, -1)) == len(anyCall.FindAllString(script, -1))
}
