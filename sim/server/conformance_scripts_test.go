package server

import "strings"

// luaScripts are the scripts of locks and their parts: each reply type, each
// error, a deadline.
var luaScripts = []string{
	`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end`,
	`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`,
	`if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
redis.call('HINCRBY', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return nil end
return redis.call('PTTL', KEYS[1])`,
	`if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then return 0 end redis.call('DEL', KEYS[1]) return 1`,
	`if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', 'n') end return false`,
	`return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`,
	`return redis.call('GET', KEYS[1])`,
	`return redis.pcall('INCR', KEYS[1])`,
	`return redis.call('INCR', KEYS[1])`,
	`redis.call('SET', KEYS[1], ARGV[1]) return redis.call('HGETALL', KEYS[1])`,
	`return {1, 'a', {2.9, true}, false, 3}`,
	`return {ok = 'FINE'}`,
	`return redis.error_reply('MINE of the script')`,
	`return redis.status_reply('OWN')`,
	`return #ARGV[2] < 19 and tonumber(ARGV[2]) / 2`,
	`return redis.call('TIME')[1]`,
	`return redis.call('PUBLISH', KEYS[1], ARGV[1])`,
	`return #KEYS .. ARGV[1]`,
	`return 1 +`,
	`error('thrown')`,
	`return redis.call('NOSUCH', KEYS[1])`,
	`return redis.call('GET')`,
	`return redis.pcall('GET')`,
	`return redis.pcall('NOSUCH')`,
	`local r = redis.pcall('INCR', KEYS[1]) if type(r) == 'table' then return r.err end return r`,
	`return {redis.call('SET', KEYS[1], ARGV[1], 'NX'), redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1])}`,
	`return redis.call('MULTI')`,
	`return redis.call('WATCH', KEYS[1])`,
	`return redis.pcall('EVAL', 'return 1', 0)`,
	`return redis.call()`,
}

func (g *generator) eval() []string {
	script := pick(g, luaScripts...)
	word := []string{"EVAL", script}
	if g.rng.IntN(3) > 0 {
		g.loaded = append(g.loaded, script)
	} else {
		sha := shaOf(pick(g, append(g.loaded, script)...))
		word = []string{"EVALSHA", pick(g, sha, sha, strings.ToUpper(sha), "nosuchsha")}
	}
	if g.rng.IntN(20) == 0 {
		return append(word, pick(g, "-1", "9", "x", "2"), g.word("key"))
	}
	return append(word, "1", g.word("key"), pick(g, g.word("field"), g.word("value")), g.millis())
}

func (g *generator) scripting() []string {
	switch g.rng.IntN(6) {
	case 0, 1:
		g.loaded = append(g.loaded, pick(g, luaScripts...))
		return []string{"SCRIPT", "LOAD", g.loaded[len(g.loaded)-1]}
	case 2, 3:
		return []string{"SCRIPT", "EXISTS", shaOf(pick(g, append(g.loaded, "none")...)), shaOf(pick(g, luaScripts...))}
	case 4:
		return []string{"SCRIPT", pick(g, "FLUSH", "flush")}
	}
	return []string{"SCRIPT", pick(g, "NOSUCH", "FLUSH"), pick(g, "ASYNC", "what")}
}
