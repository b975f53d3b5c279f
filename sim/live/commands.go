package live

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// A shape describes where a command has its keys and what it may do.
type shape struct {
	keys   keyPlace
	writes bool
	// deadline: the command could distinguish a guard from no TTL
	deadline bool
}

type keyPlace int

const (
	noKeys  keyPlace = iota
	oneKey           // the first argument
	allKeys          // every argument
	counted          // the second argument is their number, the third the first key: EVAL
)

// shapes are the commands that may be sent. A lock may need these. The keys of
// other commands are unknown.
var shapes = map[string]shape{
	"GET": {keys: oneKey}, "STRLEN": {keys: oneKey}, "TYPE": {keys: oneKey},
	"HGET": {keys: oneKey}, "HGETALL": {keys: oneKey}, "HEXISTS": {keys: oneKey}, "HLEN": {keys: oneKey},
	"HKEYS": {keys: oneKey}, "HVALS": {keys: oneKey}, "HMGET": {keys: oneKey},
	"EXISTS": {keys: allKeys}, "MGET": {keys: allKeys}, "WATCH": {keys: allKeys},
	"TTL": {keys: oneKey, deadline: true}, "PTTL": {keys: oneKey, deadline: true},

	"SET": {keys: oneKey, writes: true}, "SETNX": {keys: oneKey, writes: true}, "SETEX": {keys: oneKey, writes: true},
	"PSETEX": {keys: oneKey, writes: true}, "GETSET": {keys: oneKey, writes: true}, "GETDEL": {keys: oneKey, writes: true},
	"APPEND": {keys: oneKey, writes: true}, "INCR": {keys: oneKey, writes: true}, "DECR": {keys: oneKey, writes: true},
	"INCRBY": {keys: oneKey, writes: true}, "DECRBY": {keys: oneKey, writes: true},
	"EXPIRE": {keys: oneKey, writes: true}, "PEXPIRE": {keys: oneKey, writes: true},
	"PERSIST": {keys: oneKey, writes: true, deadline: true},
	"HSET":    {keys: oneKey, writes: true}, "HSETNX": {keys: oneKey, writes: true}, "HMSET": {keys: oneKey, writes: true},
	"HDEL": {keys: oneKey, writes: true}, "HINCRBY": {keys: oneKey, writes: true},
	"DELEX": {keys: oneKey, writes: true}, "DEL": {keys: allKeys, writes: true}, "UNLINK": {keys: allKeys, writes: true},
	"EVAL": {keys: counted, writes: true}, "EVALSHA": {keys: counted, writes: true},

	"HSTRLEN": {keys: oneKey}, "LLEN": {keys: oneKey}, "LRANGE": {keys: oneKey}, "LINDEX": {keys: oneKey}, "SCARD": {keys: oneKey},
	"SISMEMBER": {keys: oneKey}, "SMEMBERS": {keys: oneKey}, "ZCARD": {keys: oneKey}, "ZCOUNT": {keys: oneKey}, "ZRANGE": {keys: oneKey},
	"ZRANGEBYSCORE": {keys: oneKey}, "ZREVRANGE": {keys: oneKey}, "ZRANK": {keys: oneKey}, "ZREVRANK": {keys: oneKey}, "ZSCORE": {keys: oneKey},
	"LPUSH": {keys: oneKey, writes: true}, "RPUSH": {keys: oneKey, writes: true}, "LPOP": {keys: oneKey, writes: true}, "RPOP": {keys: oneKey, writes: true},
	"LREM": {keys: oneKey, writes: true}, "LTRIM": {keys: oneKey, writes: true}, "SADD": {keys: oneKey, writes: true}, "SREM": {keys: oneKey, writes: true},
	"ZADD": {keys: oneKey, writes: true}, "ZINCRBY": {keys: oneKey, writes: true}, "ZREM": {keys: oneKey, writes: true},
	"ZREMRANGEBYSCORE": {keys: oneKey, writes: true}, "ZREMRANGEBYRANK": {keys: oneKey, writes: true}, "ZPOPMIN": {keys: oneKey, writes: true},
	"ZPOPMAX": {keys: oneKey, writes: true},

	"MULTI": {}, "EXEC": {}, "DISCARD": {}, "UNWATCH": {}, "PING": {}, "ECHO": {},
}

// A RefusedError is the reason why a command or a fault is refused on a real
// server.
type RefusedError struct{ Why lang.Message }

func (e *RefusedError) Error() string { return e.Why.String() }

// In returns the reason in a language.
func (e *RefusedError) In(l lang.Language) string { return e.Why.In(l) }

func refused(format string, args ...any) error { return &RefusedError{lang.New(format, args...)} }

// shapeOf returns the shape of a command and the indexes of its keys.
func shapeOf(cmd []string) (s shape, keys []int, err error) {
	name := strings.ToUpper(cmd[0])
	s, known := shapes[name]
	if !known {
		return s, nil, refused("the keys of %s are not known", name)
	}
	switch s.keys {
	case oneKey:
		if len(cmd) > 1 {
			keys = []int{1}
		}
	case allKeys:
		for i := 1; i < len(cmd); i++ {
			keys = append(keys, i)
		}
	case counted:
		n := 0
		if len(cmd) > 2 {
			n, err = strconv.Atoi(cmd[2])
		}
		if err != nil || n < 0 || n > len(cmd)-3 {
			return s, nil, refused("%s does not say how many keys it has", name)
		}
		for i := range n {
			keys = append(keys, 3+i)
		}
	}
	return s, keys, absolute(name, cmd)
}

// absolute refuses a deadline as a Unix time: the world's clock began in 2026
// and stands still while code runs.
func absolute(name string, cmd []string) error {
	if name != "SET" || len(cmd) < 4 {
		return nil
	}
	for _, word := range cmd[3:] {
		if w := strings.ToUpper(word); w == "EXAT" || w == "PXAT" {
			return refused("SET %s names a moment on the world's clock", w)
		}
	}
	return nil
}

// guardShows refuses commands that could distinguish a guard from no TTL.
func guardShows(s shape, cmd []string) error {
	name := strings.ToUpper(cmd[0])
	conditional := (name == "EXPIRE" || name == "PEXPIRE") && len(cmd) > 3
	keepsTTL := name == "SET" && slices.ContainsFunc(cmd, func(w string) bool { return strings.EqualFold(w, "KEEPTTL") })
	if s.deadline || conditional || keepsTTL {
		return refused("%s would show that here every key gets a TTL; a server of Lockstep's own gives none", name)
	}
	return nil
}
