package trial

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// world says what clients do, as a part of a sentence.
func world(c history.Config) lang.List {
	who, does := lang.New("%s each", lang.Names(c.Clients)), lang.New("acquire the lock, work for %v and release it", c.Work)
	if c.Work == 0 {
		does = lang.New("acquire the lock and release it")
	}
	parts := []any{lang.New("%v %v", who, does)}
	say := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, lang.New(format, args...))
		}
	}
	usual := history.Default()
	say(c.Process == history.Shared, "as goroutines of one process, between whose steps nothing else of it runs")
	say(c.Rounds > 1, "in %d rounds", c.Rounds)
	say(c.Nest > 1, "the holder acquires %d times before it works", c.Nest)
	say(true, "a lease lasts %v", c.TTL)
	say(c.Wait > 0, "a client that does not get it tries for %v", c.Wait)
	say(c.Timeout != usual.Timeout, "a client waits %v for a reply", c.Timeout)
	say(c.Retries > 0, "retries of go-redis: %d", c.Retries)
	say(c.Nodes > 1, "there are %d nodes", c.Nodes)
	say(c.Lag > 0, "a replica has missed at most %d writes", c.Lag)
	say(c.LockKey != "", "the lock is at %s", c.LockKey)
	return lang.Join(", ", parts...)
}
