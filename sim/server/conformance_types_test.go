package server

import "strings"

// typed are commands of keys other than strings, as templates: a lower-case word
// is drawn by the generator, a|b is one of several, and what ends in ? may be
// missing.
var typed = []string{
	"ZADD zset score member", "ZADD zset score member", "ZADD zset NX|XX|GT|LT|CH|INCR|nx score member", "ZADD zset NX|XX|CH? NX|LT|GT|CH|INCR score member score? member?",
	"ZADD zset score member score member", "ZCARD zset", "ZSCORE zset member", "ZMSCORE zset member member", "ZRANK|ZREVRANK zset member", "ZREM zset member member?",
	"ZINCRBY zset score member", "ZREMRANGEBYSCORE zset bound bound", "ZREMRANGEBYRANK zset index index", "ZPOPMIN|ZPOPMAX zset", "ZPOPMIN|ZPOPMAX zset count",
	"ZRANGE zset index index WITHSCORES?", "ZREVRANGE zset index index withscores?", "ZCOUNT zset bound bound",
	"ZRANGEBYSCORE zset bound bound WITHSCORES?", "ZREVRANGEBYSCORE zset bound bound", "ZRANGEBYSCORE zset bound bound LIMIT index count",
	"ZRANGE zset bound bound BYSCORE REV? LIMIT? index? count? WITHSCORES?", "ZRANGE zset index index REV|BYSCORE|LIMIT?",
	"SADD set member member?", "SADD set member", "SREM set member member?", "SCARD|SMEMBERS set", "SISMEMBER set member", "SMISMEMBER set member member",
	"SMOVE set set member", "SINTER|SUNION|SDIFF set set", "SINTERSTORE|SUNIONSTORE|SDIFFSTORE s set set",
	"RPUSH|LPUSH|RPUSHX|LPUSHX list member member?", "RPUSH|LPUSH list member", "LPOP|RPOP list count?", "LLEN list", "LRANGE list index index", "LINDEX list index",
	"LREM list index member", "LSET list index member", "LTRIM list index index", "LINSERT list BEFORE|AFTER|what member member", "LPOS list member",
	"RPOPLPUSH list list", "LMOVE list list LEFT|RIGHT|left LEFT|RIGHT|what",
	"HSET hash field member field member", "HMSET hash field member", "HMGET hash field field", "HKEYS|HVALS hash", "HSTRLEN hash field", "HINCRBYFLOAT hash field 1|1.5|-2|x",
	"DEL zset|set|list", "RENAME zset|set|list zset|set|list", "TYPE|EXISTS|PTTL|PERSIST zset|set|list", "PEXPIRE zset|set|list millis",
	"SET zset|set|list member", "GET|STRLEN|HGET|LLEN|ZCARD|SCARD zset|set|list", "WATCH zset|set|list", "UNWATCH", "FLUSHALL", "EVAL script 1 zset member score",
	"EVAL queue 3 z zset k member score",
}

// typedScripts are the scripts of semaphores and queues, and replies that Lua
// converts.
var typedScripts = []string{
	`redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2]) if redis.call('ZCARD', KEYS[1]) < 2 then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) return 1 end return 0`,
	`return redis.call('ZSCORE', KEYS[1], ARGV[1])`,
	`return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')`,
	`return redis.pcall('ZADD', KEYS[1], ARGV[2] or 'x', ARGV[1])`,
	`local r = redis.call('ZRANK', KEYS[1], ARGV[1]) if r then return {r} end return r`,
	`return redis.call('ZPOPMIN', KEYS[1])[1]`,
	`local t = redis.call('TIME') return redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000), ARGV[1])`,
	`redis.call('ZADD', KEYS[1], 'NX', redis.call('ZCARD', KEYS[1]), ARGV[1]) if redis.call('ZRANGE', KEYS[1], 0, 0)[1] == ARGV[1] then return redis.call('ZREM', KEYS[1], ARGV[1]) end return -1`,
	`return redis.pcall('BLMOVE', 'l', 'l', 'LEFT', 'LEFT', 0)`,
}

// typedWords are what a word of a template may be.
var typedWords = map[string][]string{
	"key":    {"k", "k", "k", "k", "h", "n"},
	"value":  {"a", "a", "b", "", "7", "-1", "x\x00\xff\r\n", "09"},
	"delta":  {"1", "1", "-1", "2", "0", "9223372036854775807", "x", "1.5"},
	"zset":   {"z", "z", "z", "z", "y", "k"},
	"set":    {"s", "s", "s", "t", "k"},
	"list":   {"l", "l", "l", "m", "k"},
	"hash":   {"h", "h", "h", "k"},
	"member": {"a", "a", "b", "b", "c", "", "x\x00\xff\r\n", "10", "9"},
	"field":  {"f", "f", "A:1", "g"},
	"score":  {"1", "1", "2", "0", "-1", "1.5", "1767268800123", "-inf", "inf", "1e3", "0x10", "x", "", " 1", "1_0", "nan", "Infinity", "5."},
	"bound":  {"1", "(1", "2", "(2", "-inf", "+inf", "-inf", "+inf", "0", "1767268800123", "(x", "", "x", "nan", "1.5"},
	"index":  {"0", "0", "0", "-1", "-1", "1", "-2", "5", "-9", "x", ""},
	"count":  {"1", "1", "2", "0", "3", "-1", "x", "1-1"},
	"script": typedScripts, "condition": {"NX", "XX", "GT", "GT", "LT", "lt", "what"},
	"queue": {`redis.call('ZADD', KEYS[1], 1, ARGV[1]) local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1] if first == ARGV[1] then redis.call('ZREM', KEYS[2], first) return redis.call('SET', KEYS[3], first, 'PX', 50) end return redis.call('ZRANK', KEYS[1], ARGV[1])`},
}

// template writes a command of a template, with a function for its words.
func (g *generator) template(text string, drawn func(name string) string) (cmd []string) {
	for _, word := range strings.Fields(text) {
		word, optional := strings.CutSuffix(word, "?")
		if optional && g.rng.IntN(2) == 0 {
			continue
		}
		cmd = append(cmd, drawn(pick(g, strings.Split(word, "|")...)))
	}
	return cmd
}
